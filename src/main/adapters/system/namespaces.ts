import { afterSteps, type Step } from './steps.ts'
import { systemPath, systemProgram } from './system-programs.ts'

/** A folder that another user gets as its own. On disk everything in it stays root's. */
export interface GivenFolder {
  readonly from: string
  /** Where the namespace has it. May be `from` itself. */
  readonly to: string
  readonly writable: boolean
}

export interface NamespaceRequest {
  /** Taken with every capability in the namespaces. */
  readonly steps?: readonly Step[]
  /** Only for another user. */
  readonly given?: readonly GivenFolder[]
}

/** The user of root's commands, as the whole machine sees it. No system gives this number to anybody. */
export const foreignUser = 65533
/** The signal for whoever waits for a namespace, which it ends with. The waiting process blocks SIGTERM. */
export const endsNamespaces = 'SIGKILL'
/** The number that such a command sees. It is `nobody`, so that programs which look for a name find one. */
export const shownUser = 65534

/**
 * A command line that runs a program in namespaces of its own. Nobody else sees their mounts, and all their processes
 * end with the first one, which ends with the app and only waits, since others in a namespace cannot signal it.
 *
 * The program's own uid is 0 in the namespace. For `other`, the namespace has two users: root, who sets everything up,
 * and `shownUser`, whom the machine knows as `foreignUser`. For `everyone`, which only root can be, users stay as they are.
 */
export function inNamespacesOf(
  user: { readonly kind: 'own' | 'other' | 'root' | 'unknown' | 'everyone' },
  program: readonly string[],
  { steps = [], given = [] }: NamespaceRequest = {},
): readonly string[] {
  const own = [['mounts'], ['processes']] as const
  switch (user.kind) {
    case 'other':
      return afterSteps([['end-with-parent'], ...own, ...given.map(giveStep), ...asOtherUser, ...steps], program)
    case 'everyone':
      return afterSteps([['end-with-parent'], ...own, ...steps], program)
    default:
      return afterSteps([['end-with-parent'], ['users', ...rootMaps()], ...own, ...steps], program)
  }
}

function giveStep({ from, to, writable }: GivenFolder): Step {
  return ['give', from, to, writable ? 'rw' : 'ro', ownersMap]
}

/** Whoever runs the app is root inside. */
function rootMaps(): readonly [string, string] {
  return [`0 ${process.geteuid?.() ?? 0} 1`, `0 ${process.getegid?.() ?? 0} 1`]
}

/** A swap, since what the namespace's root makes, such as an overlay's whiteouts, needs an owner on disk. */
const ownersMap = `0 ${foreignUser} 1\n${foreignUser} 0 1\n`

const insideMap = `0 0 1\n${shownUser} ${foreignUser} 1\n`

/** The folders were given in the first table of mounts, which only real root can change. */
const asOtherUser = [['users', insideMap, insideMap], ['mounts']] as const

/** A program that runs a script with the tools of the system alone. */
export function systemScript(script: string, parameters: readonly string[] = []): readonly string[] {
  const bash = [systemProgram('bash'), '--noprofile', '--norc', '-c']
  return [...bash, `PATH=${systemPath}:$PATH; ${script}`, 'bash', ...parameters]
}

/** Gives a program inside a namespace its own uid back, without the rights that made the namespace. */
export function asOwnUser(): readonly Step[] {
  const { getuid, getgid } = process
  return getuid && getgid ? [['users', `${getuid()} 0 1`, `${getgid()} 0 1`]] : []
}
