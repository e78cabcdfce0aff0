const KEY = "switchboard.account";
const $ = (id) => document.getElementById(id);

/** The account that somebody wanted to be kept while this tab is open; null otherwise. */
export function keptAccount() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}

export const forgetAccount = () => sessionStorage.removeItem(KEY);

/** The form to log in with; `onAccount` gets login and password. */
export function logInForm(onAccount) {
  const form = document.querySelector("#log-in form");
  const { login, password, keep } = form.elements;
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
      else login.focus();
    },
    hide() {
      $("log-in").hidden = true;
      password.value = "";
    },
    /** While it is not known yet whether they are right. */
    setBusy: (isBusy) => form.querySelector("[type=submit]").disabled = isBusy,
  };
}
