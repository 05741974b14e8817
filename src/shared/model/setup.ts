import type { VirtualPath } from './virtual-path.ts'

/** What makes a project ready for commands: once for all threads and branches, until an input changes. */
export interface SetupDefinition {
  /** A bash command line. It runs in the project's root. */
  readonly command: string
  /** Files whose content decides whether it runs again, from the project's root. Names or patterns. */
  readonly inputs: readonly string[]
  /** Hosts and presets of registries that it may reach. */
  readonly hosts: readonly string[]
}

/** A setup that the files of a folder call for. It never runs before a person accepted it. */
export interface SetupProposal extends SetupDefinition {
  /** The file that it was made from. */
  readonly source: VirtualPath
}

/** A command of a project that stays, such as a server of developers. A person starts it. */
export interface RunScript {
  /** Unique in its project. */
  readonly name: string
  readonly command: string
  /** The file that names it. */
  readonly source: VirtualPath
}

/** What a project keeps for other tools beside a setup. Nothing of it holds before a person starts or accepts it. */
export interface ProjectScripts {
  readonly runs: readonly RunScript[]
  /** What takes down whatever the commands of a branch set up, once the branch is put away. Null for none. */
  readonly archive: { readonly command: string; readonly source: VirtualPath } | null
  /** Variables for commands, with the texts that the files give them. */
  readonly variables: Readonly<Record<string, string>>
  /** Ports on which the project listens, and what it calls them. A label is null for none. */
  readonly ports: readonly { readonly port: number; readonly label: string | null }[]
  /** What of these files has no meaning here, one line for each file. */
  readonly leftOut: readonly string[]
}

export const noScripts: ProjectScripts = { runs: [], archive: null, variables: {}, ports: [], leftOut: [] }

/** What the app and the sandbox set themselves, for each command anew, and what a shell does not let be set. */
const ownVariables = [
  ...['PATH', 'HOME', 'PWD', 'OLDPWD', 'TMPDIR', 'TERM', 'SHELL', 'USER', 'LOGNAME', 'IFS', 'ENV'],
  ...['BASH\\w*', 'COPPICE_\\w*', 'EUID', 'UID', 'PPID', 'SHELLOPTS', 'GIT_CONFIG\\w*'],
  ...['(https?|all|no|ftp|yarn_https?)_proxy', 'NODE_USE_ENV_PROXY', 'MAVEN_OPTS', 'GRADLE_OPTS'],
  ...['NPM_CONFIG_USERCONFIG', 'PIP_CONFIG_FILE', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_(FILE|DIR)', 'CURL_CA_BUNDLE'],
  ...[
    'GIT_SSL_CAINFO',
    'REQUESTS_CA_BUNDLE',
    'PIP_CERT',
    'CARGO_HTTP_CAINFO',
    'CARGO_HOME',
    'GOPATH',
    'GRADLE_USER_HOME',
  ],
  ...['PNPM_HOME'],
]
const ownVariable = new RegExp(`^(${ownVariables.join('|')})$`, 'i')
const mostCharacters = 4096

/** Whether a variable may be given to every command of a project: nothing that would take the place of what the app sets. */
export function lastingVariable(name: string, value: string): boolean {
  const isText = value.length <= mostCharacters && !value.includes('\0')
  return /^[A-Za-z_]\w{0,99}$/.test(name) && !ownVariable.test(name) && isText
}

/** The setup of a project now. Times are in milliseconds since the Unix epoch. */
export type SetupState =
  /** No setup is set. */
  | { readonly kind: 'none' }
  /** It runs before the next command. */
  | { readonly kind: 'waiting'; readonly command: string }
  | {
      readonly kind: 'running'
      readonly command: string
      readonly startedAt: number
      /** The last lines of its output. */
      readonly lines: readonly string[]
    }
  | {
      readonly kind: 'ready'
      readonly command: string
      readonly at: number
      readonly durationMs: number
      /** On disk. */
      readonly bytes: number
      /** The first changed files that no rule ignores. Their changes were dropped. */
      readonly dropped: readonly string[]
      /** How many such files there were. */
      readonly droppedCount: number
    }
  /** Commands run without it, until it is started again or an input changes. */
  | {
      readonly kind: 'failed'
      readonly command: string
      readonly at: number
      /** A person stopped it. Absent for one that failed by itself. */
      readonly isCancelled?: true
      /** What happened and what to do, in sentences for a person. */
      readonly reason: string
      readonly lines: readonly string[]
    }

/** How far the setup of a project is, in a few words: the same where a command waits, in the window and in a terminal. */
export function environmentText(state: SetupState, now: number): string {
  switch (state.kind) {
    case 'none':
      return 'no setup'
    case 'waiting':
      return 'will be set up before the next command'
    case 'running':
      return `being set up for ${agoText(now - state.startedAt)}`
    case 'ready':
      // A branch with files of its own may keep an older result.
      return `ready for new branches (set up ${agoText(now - state.at)} ago, ${sizeText(state.bytes)})`
    case 'failed':
      return `given up: ${state.reason}`
  }
}

function agoText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`
  return seconds < 86_400 * 2 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${Math.round(bytes / 1e6)} MB`
}
