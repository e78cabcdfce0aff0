/** A step of a Containerfile, with what follows its word. */
export interface Step {
  word: string;
  text: string;
}

/** The steps of a Containerfile, one a line. */
export const stepsOf = (file: string): Step[] =>
  file.split("\n").filter((line) => line !== "" && !line.startsWith("#")).map((line) => {
    const [word = "", ...rest] = line.split(" ");
    return { word, text: rest.join(" ") };
  });

/** An image that is made of this machine's system and the steps of a Containerfile. */
export interface ContainerRoot extends AsyncDisposable {
  /** The directory behind WORKDIR. */
  readonly app: string;
  /** The directory behind VOLUME. */
  readonly data: string;
  /** Runs a command as the image's user, below a root that is read-only but for the volume. */
  run(command: readonly string[], env?: Record<string, string>): Deno.Command;
  /** Performs a line of a shell as root, as RUN does. */
  asRoot(line: string): Promise<void>;
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

async function succeed(command: Deno.Command): Promise<void> {
  const { success, stderr, stdout } = await command.output();
  if (!success) throw new Error(text(stdout) + text(stderr));
}

/**
 * Performs the steps without a base image. /usr is this machine's, COPY takes the tracked files
 * that `.containerignore` leaves, and RUN is performed as root. All packages are in the cache of
 * this machine already.
 */
export async function buildContainerRoot(top: URL, steps: Step[]): Promise<ContainerRoot> {
  const wordOf = (wanted: string) => steps.find(({ word }) => word === wanted)?.text ?? "";
  const directory = await Deno.makeTempDir({ prefix: "container-" });
  await Deno.chmod(directory, 0o755);
  const [app, data, denoDir] = ["app", "data", "app/.deno"].map((name) => `${directory}/${name}`);
  await copyContext(top, app!);
  await Deno.mkdir(data!);
  await Deno.mkdir(denoDir!);
  await succeed(new Deno.Command("cp", { args: ["-r", await npmCache(), `${denoDir}/npm`] }));

  const workDirectory = wordOf("WORKDIR");
  const env = steps.filter(({ word }) => word === "ENV").flatMap(({ text }) => {
    const [name = "", value = ""] = text.split("=");
    return ["--setenv", name, value];
  });
  const deno = Deno.execPath().replace(/\/[^/]*$/, "");
  const system = [
    ...["--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc", "--ro-bind", deno, "/deno"],
    ...["bin", "sbin", "lib", "lib64"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]),
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
    ...[workDirectory, wordOf("VOLUME")].flatMap(parentsOf)
      .flatMap((parent) => ["--perms", "0755", "--dir", parent]),
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent", "--clearenv"],
    ...["--setenv", "PATH", "/deno:/usr/bin:/bin", ...env],
  ];
  const within = (bind: "--bind" | "--ro-bind", command: readonly string[]) =>
    new Deno.Command("bwrap", {
      args: [
        ...[...system, bind, app!, workDirectory, "--bind", data!, wordOf("VOLUME")],
        ...["--chdir", workDirectory, ...command],
      ],
      stdin: "null",
    });
  const asRoot = (line: string) => succeed(within("--bind", ["sh", "-c", line]));
  for (const { word, text } of steps) if (word === "RUN") await asRoot(text);
  const [user = "", group = ""] = wordOf("USER").split(":");
  return {
    app: app!,
    data: data!,
    asRoot,
    run: (command, more = {}) =>
      within("--ro-bind", [
        ...["setpriv", `--reuid=${user}`, `--regid=${group}`, "--clear-groups", "--no-new-privs"],
        ...["env", ...Object.entries(more).map(([name, value]) => `${name}=${value}`), ...command],
      ]),
    async [Symbol.asyncDispose]() {
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** `/var` and `/var/lib` of `/var/lib/switchboard`. */
function parentsOf(path: string): string[] {
  const names = path.split("/").slice(1, -1);
  return names.map((_, at) => `/${names.slice(0, at + 1).join("/")}`);
}

/** Folder in which Deno caches downloaded packages. */
async function npmCache(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(text(stdout)).npmCache;
}

/** COPY . . of the files under version control that `.containerignore` does not name. */
async function copyContext(top: URL, to: string): Promise<void> {
  const ignored = (await Deno.readTextFile(new URL(".containerignore", top))).split("\n")
    .filter((line) => line !== "");
  const listed = await new Deno.Command("git", {
    args: ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    cwd: top,
  }).output();
  const files = text(listed.stdout).split("\0").filter((file) =>
    file !== "" && !ignored.some((path) => file === path || file.startsWith(`${path}/`))
  );
  for (const file of files) {
    const target = `${to}/${file}`;
    await Deno.mkdir(target.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.copyFile(new URL(file, top), target);
  }
}
