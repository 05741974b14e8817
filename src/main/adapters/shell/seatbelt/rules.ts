import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { realOf } from '../credential-places.ts'
import { maskedCredentials, placesAround, type ReadablePlaces } from '../readable-places.ts'
import { type ConfineRequest, realFolders } from '../sandbox.ts'
import type { SeatbeltRules } from './profile.ts'

/** What the rules of a command depend on. */
export interface RulesInput extends Pick<ConfineRequest, 'mount' | 'rootFolder' | 'given' | 'reach' | 'grants'> {
  readonly places: ReadablePlaces
  /** Names that a person granted. Those of the machine itself open its loopback. */
  readonly hosts: readonly string[]
  readonly proxyPort: number | null
}

/** The same rules as on Linux, for a system that cannot show a folder under another path. */
export function rulesFor(input: RulesInput): SeatbeltRules {
  const { mount, rootFolder, given, places, hosts, proxyPort, reach, grants } = input
  const real = realFolders(rootFolder, mount)
  const { around, waysIn } = placesAround(real, places)
  const masked = maskedCredentials(around)
  const folders = mount.folders ?? []
  const hidden = [...places.maskedFiles, ...places.maskedFolders, ...masked.files, ...masked.folders, ...waysIn]
  const inFolders = folders.flatMap(({ folder, hidden: files }) => files.map((file) => join(folder, file)))
  return {
    readable: realPaths([
      ...[...around.folders, ...around.links.map(([, target]) => target)],
      ...folders.map(({ folder }) => folder),
    ]),
    links: around.links.map(([link]) => link),
    hidden: realPaths([...hidden, ...inFolders, ...real]),
    given: realPaths([...(mount.readable ?? []), ...(given === null ? [] : [given])]),
    writable: realPaths([
      ...[mount.folder, mount.home, mount.temporary],
      ...(mount.others ?? []).flatMap(({ folder, home }) => [folder, home]),
    ]),
    places: mount.places.map(({ folder, writable }) => ({ folder: realPath(folder), writable })),
    proxyPort,
    judgesCertificates: hosts.length > 0,
    loopback: loopbackIn(hosts),
    localPorts: [...new Set([...(reach?.localPorts ?? []), ...(grants?.localPorts ?? [])])],
    sockets: realPaths(reach?.sockets ?? []),
  }
}

const thisMachine = /^(?:localhost|127\.0\.0\.1)(?::(\d+))?$/

/** The system cannot give a command a loopback of its own, so a person grants the machine's. */
function loopbackIn(hosts: readonly string[]): SeatbeltRules['loopback'] {
  const found = hosts.map((host) => thisMachine.exec(host)).filter((match) => match !== null)
  if (found.some(([, port]) => port === undefined)) return ['*']
  return found.map(([, port]) => Number(port))
}

function realPaths(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map(realPath))]
}

/** Where a path leads, also when its last part is not there yet. */
function realPath(path: string): string {
  if (existsSync(path) || dirname(path) === path) return realOf(path)
  return join(realPath(dirname(path)), path.slice(dirname(path).length).replace(/^\//, ''))
}
