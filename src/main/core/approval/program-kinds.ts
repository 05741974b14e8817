import { baseName, isKnown } from './command-words.ts'

/**
 * What a program may run besides itself:
 * - `quiet`: nothing that its arguments or its input name
 * - `subcommands`: what any word names, except the name of a subcommand, as in `git rm`
 * - `wrapper`: the command that begins at some later word
 * - `text`: as a wrapper, and also text in its arguments that a shell reads
 * - `shell`: text, a file or its input, in the language of bash
 * - `source`: a file, in this shell
 * - `interpreter`: code of another language in its arguments or its input
 * - `unread`: something that no reader of one line can know
 * - `other`: what any word names
 */
export type ProgramKind =
  | 'quiet'
  | 'subcommands'
  | 'wrapper'
  | 'text'
  | 'shell'
  | 'source'
  | 'interpreter'
  | 'unread'
  | 'other'

const names: Readonly<Partial<Record<ProgramKind, string>>> = {
  quiet: `
    : [ basename cat cd chgrp chmod chown cksum clear cmp col column comm cp cut date dd df diff dirname du echo egrep
    exit false fgrep file fold grep groups head hexdump hostname id join kill killall link ln locale ls md5sum
    mkdir mkfifo mktemp mv nl nproc od paste pgrep pkill popd printenv printf ps pushd pwd readlink realpath return rm
    rmdir seq sha1sum sha256sum sha512sum shred shuf sleep stat strings sum sync tac tail tee test touch tr tree true
    truncate tty type umask uname unexpand expand uniq unlink unset uptime wc whatis whereis which whoami xxd yes`,
  subcommands: `
    ansible apk apt apt-get aws az brew bundle cabal cargo cmake composer conda dnf docker dotnet flutter
    gcloud gem gh git glab go gradle gradlew helm hg jj journalctl just kubectl make mise mvn nerdctl ninja npm nx
    pacman pdm pip pip3 pipenv pixi podman poetry pulumi rustup rye snap stack svn systemctl terraform tofu turbo
    uv yum zig zypper`,
  wrapper: `
    bpftrace builtin bwrap busybox catchsegv cgexec chpst chroot chrt command coproc dbus-run-session doas exec
    faketime fakeroot firejail gdbserver ionice jobs ltrace nice nohup npx nsenter numactl perf pnpx prlimit proot rlwrap
    runcon setarch setpriv setsid setuidgid softlimit start-stop-daemon stdbuf strace sudo systemd-inhibit systemd-run
    taskset time timeout toybox unbuffer unshare uvx bunx valgrind xargs xvfb-run`,
  text: 'env eval flock mapfile nix-shell parallel pkexec readarray runuser script sg ssh su trap watch',
  shell: 'ash bash dash ksh mksh sh yash zsh rbash',
  source: '. source',
  interpreter: `
    bpython clisp coffee cscript crystal deno elixir erl expect gdb ghci groovy guile iex ipython irb jjs jruby jshell
    julia kotlin lldb lua luajit m4 mongo mongosh mysql node nodejs ocaml octave osascript perl php pike powershell psql
    pwsh pypy python r racket rebol rscript ruby rust-script sbcl scala scheme sqlite3 swift tclsh ts-node tsx wish`,
  unread: `
    alias at batch bc bind cmd complete compgen crontab csh dc ed elvish emacs enable entr es ex fc fish history less
    more nano nu nvi pico rc screen shopt tcsh tmux vi view vim vimdiff xonsh`,
}

const kinds: ReadonlyMap<string, ProgramKind> = new Map(
  Object.entries(names).flatMap(([kind, list]) =>
    list
      .trim()
      .split(/\s+/)
      .map((name) => [name, kind as ProgramKind] as const),
  ),
)

/** The kind of a program that is named by a word, with or without its folder and version: `/usr/bin/python3.12`. */
export function kindOf(word: string): ProgramKind {
  const name = baseName(word).toLowerCase()
  if (/^ld(-linux)?[-.\w]*\.so(\.\d+)?$/.test(name)) return 'wrapper'
  return kinds.get(name) ?? kinds.get(name.replace(/(\.exe|[-.]?\d[\d.]*)$/, '')) ?? 'other'
}

/** Subcommands that have subcommands, some with the name of a program: `docker image rm`. */
const groups =
  /^((docker|podman|nerdctl) (compose|container|context|image|network|secret|service|stack|volume)|aws s3|git remote)$/

/** Drops the name of a subcommand from the words after a program: `docker image rm a` gives `a`. */
export function withoutSubcommand(program: string, words: readonly string[]): readonly string[] {
  const [first = ''] = words
  if (kindOf(program) !== 'subcommands' || !/^[\w.][\w.-]*$/.test(first)) return words
  return words.slice(groups.test(`${baseName(program)} ${first}`) ? 2 : 1)
}

/** Options before a subcommand whose value is only a name. */
const namingOption = /^(-C|-n|--(namespace|context|git-dir|work-tree|prefix|cwd|dir|directory))$/

/** Calls whose other words are names and text, whatever they are. */
const plainCalls: Readonly<Record<string, RegExp>> = {
  git: /^(add|annotate|blame|branch|cat-file|check-ignore|checkout|cherry|cherry-pick|commit|describe|diff|log|ls-files|ls-tree|merge|merge-base|mv|name-rev|notes|reflog|reset|restore|rev-list|rev-parse|revert|rm|shortlog|show|show-ref|stash|status|switch|tag|worktree)$/,
  docker:
    /^(build|cp|image|images|info|inspect|kill|logs|network|port|ps|pull|push|restart|rm|rmi|start|stats|stop|tag|top|version|volume)$/,
  kubectl: /^(annotate|apply|create|delete|describe|get|label|logs|rollout|scale|top|wait)$/,
  gh: /^(auth|gist|issue|label|pr|release|repo|run|search|workflow)$/,
  aws: /^[a-z]/,
  az: /^[a-z]/,
  systemctl: /^[a-z]/,
  terraform: /^(apply|destroy|fmt|output|plan|show|state|validate)$/,
  brew: /^(info|install|list|search|uninstall|upgrade)$/,
}

/** Calls that pass the words after `--` on to what the project itself runs. Elsewhere the next word may be a program. */
const passesOn =
  /^(npm|pnpm|yarn|bun|cargo|go|dotnet|deno|composer|ng|nx|turbo) (bench|build|dev|run|run-script|start|t|test)$/

/**
 * True when a word that nobody knows may be a program, or an option that runs one: of a program with subcommands, or
 * behind an option whose name says so.
 */
export function mayRunComputed(program: string, words: readonly string[]): boolean {
  if (words.every(isKnown)) return false
  if (words.some((word, at) => runnerOption.test(word) && !isKnown(/[=:]/.test(word) ? word : (words[at + 1] ?? ''))))
    return true
  const name = baseName(program).replace(/^(podman|nerdctl)$/, 'docker')
  if (kindOf(program) !== 'subcommands' && !/^(bun|pnpm|yarn)$/.test(name)) return false
  if (name === 'make')
    return words.some((word, at) => !isKnown(word) && !/^-[jl]/.test(word) && !/^-[jl]$/.test(words[at - 1] ?? ''))
  let at = 0
  while (/^-/.test(words[at] ?? '')) {
    if (!isKnown(words[at] ?? '')) return true
    at += namingOption.test(words[at] ?? '') ? 2 : 1
  }
  const subcommand = words[at] ?? ''
  if (plainCalls[name]?.test(subcommand)) return false
  const passed = passesOn.test(`${name} ${subcommand}`) ? words.indexOf('--') : -1
  return !words.slice(at, passed < 0 ? undefined : passed).every(isKnown)
}

/** An option whose value is a program by its name, and an address of socat. */
const runnerOption =
  /^(--?[a-z-]*(exec|cmd|command|shell|rsh|program|pager|editor|tool|wrapper|renderer|launcher|-pack)[a-z-]*(=|$)|(exec|system):)/i

/** True when the words for an interpreter hold code, or when it would read code from its input. */
export function holdsCode(words: readonly string[]): boolean {
  for (const word of words) {
    if (/^-[A-Za-z]*[cepErR]/.test(word) || /^(--)?(eval|print|command|execute|repl)\b/.test(word)) return true
    if (word === '-m' || (/\.\w+$/.test(word) && !word.startsWith('-'))) return false
  }
  return !words.some((word) => !word.startsWith('-') && !/^\/(dev|proc)\//.test(word))
}

/** True for code for sed or awk that runs no program. */
export function isQuietFilter(name: string, words: readonly string[]): boolean {
  return name.endsWith('sed') ? isQuietSed(words) : isQuietAwk(words)
}

/** True for a program for awk that runs no other program and reads no other code. */
function isQuietAwk(words: readonly string[]): boolean {
  return words.length > 0 && !words.some((word) => /system|\||getline|@|^-[^Fv]|^--/.test(word))
}

/** True for a call of sed whose commands only print, delete and replace. */
function isQuietSed(words: readonly string[]): boolean {
  const options = words.filter((word) => word.startsWith('-'))
  const script = words.find((word) => !word.startsWith('-')) ?? ''
  return (
    options.every((word) => /^-[nErzus]+$|^-i[.\w]*$/.test(word)) &&
    (/^(\$|\d+)?(,(\$|\d+))?[pdq]$/.test(script) || isReplacement(script))
  )
}

/** True for one `s/a/b/flags` whose flags do not run the result. */
function isReplacement(script: string): boolean {
  const mark = script[1]
  if (script[0] !== 's' || mark === undefined || /[\w\\\s;]/.test(mark) || script.includes('\n')) return false
  const parts = script.slice(2).replace(/\\./gs, '').split(mark)
  return parts.length === 3 && /^[gIip0-9]*$/.test(parts[2] ?? '')
}

/** Variables that decide what a later command runs. */
const ruling =
  /^(PATH|IFS|ENV|SHELL|HOME|CDPATH|BASH_\w+|SHELLOPTS|BASHOPTS|PS[0-4]|PROMPT_COMMAND|LD_\w+|DYLD_\w+|GIT_\w+|\w*PAGER|\w*EDITOR|VISUAL|BROWSER|LESS\w*|MAKE\w*|\w*_OPTIONS|\w+OPT|\w+FLAGS|PYTHON\w+|PERL\w*|RUBY\w*|NODE_(OPTIONS|PATH)|npm_\w+|JAVA_TOOL_\w+|TAR_\w+|RSYNC_\w+|CC|CXX|LD)$/

export function rulesCommands(variable: string): boolean {
  return ruling.test(variable)
}

/** Commands whose arguments set variables or are evaluated as names of them. */
const assigners =
  /^(declare|typeset|local|export|readonly|read|mapfile|readarray|getopts|let|printf|set|unset|test|\[|wait)$/

export function assigns(name: string): boolean {
  return assigners.test(name)
}
