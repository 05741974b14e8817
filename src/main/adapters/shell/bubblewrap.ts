import type { BranchView } from '#core/ports/branch-views.ts'
import type { ReadablePlaces } from './readable-places.ts'

export interface BubblewrapOptions {
  readonly places: ReadablePlaces
  /** The project's real folder: its path leads to the view. */
  readonly rootFolder: string | null
  /** Cut off where the system lets a network be cut off. */
  readonly withoutNetwork: boolean
  /** The socket of the proxy that lets through what a person granted. */
  readonly proxySocket: string | null
  /** Number of an open file with a seccomp filter. */
  readonly filterDescriptor: number | null
}

/** Where the proxy's socket is for the command. */
export const proxyPlace = '/run/coppice-proxy.sock'

/**
 * Arguments for bubblewrap: an empty file system with what may be read, the view in its place and in that of the project, processes,
 * network and hostname of its own, no rights, and no way to new ones. Later arguments cover earlier ones.
 */
export function bubblewrapArguments(
  { folder, home, temporary }: Pick<BranchView, 'folder' | 'home' | 'temporary'>,
  options: BubblewrapOptions,
): readonly string[] {
  const { places, rootFolder, proxySocket, filterDescriptor } = options
  return [
    ...[
      '--unshare-user',
      '--disable-userns',
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-uts',
      '--unshare-cgroup-try',
    ],
    ...(options.withoutNetwork ? ['--unshare-net'] : []),
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--proc', '/proc', '--dev', '/dev', '--bind', temporary, '/tmp', '--bind', temporary, '/var/tmp'],
    ...places.folders.flatMap((place) => ['--ro-bind', place, place]),
    ...places.links.flatMap(([link, target]) => ['--symlink', target, link]),
    ...places.maskedFiles.flatMap((file) => ['--ro-bind', '/dev/null', file]),
    ...places.maskedFolders.flatMap((place) => ['--tmpfs', place]),
    ...(rootFolder === null ? [] : ['--bind', folder, rootFolder]),
    ...[folder, home, temporary].flatMap((place) => ['--bind', place, place]),
    ...(proxySocket === null ? [] : ['--bind', proxySocket, proxyPlace]),
    ...(filterDescriptor === null ? [] : ['--seccomp', String(filterDescriptor)]),
    ...['--chdir', folder, '--'],
  ]
}
