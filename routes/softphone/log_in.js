const KEY = "switchboard.account";
const $ = (id) => document.getElementById(id);

/** The account that this tab keeps while it is open; null without one. */
export function keptAccount() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}

export const forgetAccount = () => sessionStorage.removeItem(KEY);

/** The log-in form; `onAccount` receives login and password. */
export function logInForm(onAccount) {
  const form = document.querySelector("#log-in form");
  const { login, password, keep } = form.elements;
  login.value = new URLSearchParams(location.search).get("login") ?? login.value;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const account = { login: login.value.trim(), password: password.value };
    if (account.login === "") return complain("Fill in the login", login);
    if (account.password === "") return complain("Fill in the password", password);
    if (keep.checked) sessionStorage.setItem(KEY, JSON.stringify(account));
    else forgetAccount();
    $("log-in-problem").textContent = "";
    onAccount(account);
  });

  function complain(why, field = password) {
    $("log-in-problem").textContent = why;
    field.focus();
    field.select();
  }

  return {
    show(why = "") {
      $("log-in").hidden = false;
      if (why !== "") complain(why);
      else (login.value === "" ? login : password).focus();
    },
    hide() {
      $("log-in").hidden = true;
      password.value = "";
    },
    /** Disables the form while the login is being checked. */
    setBusy: (isBusy) => form.querySelector("[type=submit]").disabled = isBusy,
  };
}
