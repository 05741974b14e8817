import { shownName } from '#shared/text/control-characters.ts'
import type { ShellOutcome } from '../../ports/shell.ts'

/** A way on for what a view cannot give, known by the words of the programs that miss it. */
interface Advice {
  /** True for an outcome that it is for. */
  readonly isFor: (outcome: ShellOutcome, command: string) => boolean
  /** Sentences for a model. */
  readonly text: string | ((outcome: ShellOutcome) => string)
}

const withoutHooks = '--no-verify leaves out those of git commit, git -c core.hooksPath=/dev/null all of them.'

const advices: readonly Advice[] = [
  {
    // The commands that git proposes are the same in every language.
    isFor: failedWith(
      /^ {2}git config --global user\.email |^fatal: (?:unable to auto-detect email|empty ident name)/m,
    ),
    text: 'git knows no name and email here, because the user has set none. For one command use: git -c user.name="NAME" -c user.email="ADDRESS" commit. The user can set both for all projects: git config --global user.name "NAME"; git config --global user.email "ADDRESS".',
  },
  {
    isFor: ({ unsigned }) => unsigned === true,
    text: 'The user has commits signed (commit.gpgSign), but no key is here. So commits and tags are made without a signature; the user can sign them later.',
  },
  {
    isFor: ({ withheld = [] }) => withheld.length > 0,
    text: ({ withheld = [] }) =>
      `git works here without these settings of the user, because a password or token is in them: ${withheld.map(shownName).join(', ')}. Without a filter, git stores and shows its files as they are. The user can move the credential to where the program itself finds it.`,
  },
  {
    // A view has another number for a file that a link is made to, which versions of git take for an attack.
    isFor: failedWith(/hardlink different from source/),
    text: 'git cannot link to the objects of a repository in a view. Use git clone --no-hardlinks, or file:// and the absolute path.',
  },
  {
    isFor: failedWith(/Invalid cross-device link|\bEXDEV\b/),
    text: 'Where views are overlay mounts, some systems let no program rename a folder of the project. Copy the folder and remove the old one, as mv does.',
  },
  {
    isFor: failedWith(
      /No usable sandbox!|(?:unshare|clone)(?: failed|\([^)]*\))?: (?:Operation not permitted|No space left on device)|cannot clone: |newuidmap|cannot set up namespace/i,
    ),
    text: 'The sandbox lets no program make namespaces of users of its own. Start Chromium with --no-sandbox and Bazel with --spawn_strategy=local; rootless containers do not start here.',
  },
  {
    isFor: failedWith(
      /(?:Cannot connect to (?:the )?(?:Docker|Podman)|Is the docker daemon running)|(?:dial unix|ENOENT|EACCES|ECONNREFUSED) \S*(?:docker|podman|containerd)\S*\.sock|(?:docker|podman)\.sock\b.*(?:No such file|Permission denied|Connection refused|ENOENT|EACCES)/i,
    ),
    text: 'Commands reach the socket of Docker or Podman only when the user grants it in their settings (sandbox.sockets), because whoever has it can change everything on the machine. Servers that the work needs can be started here as processes, without containers; else ask the user to run that command in their own terminal.',
  },
  {
    isFor: (outcome) => hookIn(outcome) !== undefined,
    text: (outcome) => `The hook ${hookIn(outcome)} of git was running when the time was up. ${withoutHooks}`,
  },
  {
    isFor: (outcome, command) => outcome.endedBy === 'time' && outcome.running === undefined && mayRunHooks(command),
    text: `git runs the hooks of the project, and one of them may be what did not end. ${withoutHooks}`,
  },
]

/** What to do about what the command missed. Empty when nothing is known to help. */
export function adviceFor(outcome: ShellOutcome, command: string): readonly string[] {
  return advices
    .filter(({ isFor }) => isFor(outcome, command))
    .map(({ text }) => (typeof text === 'string' ? text : text(outcome)))
}

/** Hooks of git, by the page githooks(5). Each is a program of this name. */
const hookName =
  /(?:^|[\s/])(applypatch-msg|(?:pre|post)-applypatch|(?:pre|post)-commit|pre-merge-commit|prepare-commit-msg|commit-msg|(?:pre|post)-rebase|post-checkout|post-merge|pre-push|post-rewrite|pre-auto-gc|reference-transaction|post-index-change|fsmonitor-watchman)(?=\s|$)/

/** The hook that ran when the time was up. Undefined for none. */
function hookIn({ running = [] }: ShellOutcome): string | undefined {
  return running.flatMap((line) => hookName.exec(line)?.[1] ?? [])[0]
}

function failedWith(words: RegExp): Advice['isFor'] {
  return ({ exitCode, output }) => exitCode !== 0 && words.test(output)
}

function mayRunHooks(command: string): boolean {
  return /\bgit\b[^;&|\n]*\b(?:commit|merge|rebase|checkout|switch|pull|push|am|cherry-pick|stash)\b/.test(command)
}
