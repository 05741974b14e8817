import { join } from 'node:path'
import { ShellError, type ShellGrants } from '#core/ports/shell.ts'
import type { CommandUser } from '../../system/command-user.ts'
import { lookAt } from '../../system/look-at.ts'
import { maskedCredentials, placesAround, type ReadablePlaces, refusalOf } from '../readable-places.ts'
import { programPlaces } from './program-places.ts'

interface Surroundings {
  /** As whom the system takes the command. */
  readonly user: CommandUser
  /** The app's own folders. */
  readonly hidden: readonly string[]
  readonly home: string
  readonly environment: NodeJS.ProcessEnv
  /** As PATH has it. */
  readonly path: string
}

/**
 * What one command finds of the machine: the usual places without the project, and those that a person granted to it. Throws
 * `ShellError` for a place of the person that the command could not use.
 */
export function placesOf(
  projects: readonly string[],
  usual: ReadablePlaces,
  grants: ShellGrants | undefined,
  surroundings: Surroundings,
) {
  const { around, waysIn } = placesAround(projects, usual)
  const { home, path, user } = surroundings
  const homePaths = (grants?.home ?? []).map((below) => ({ real: join(home, below), below }))
  const closed = user.kind === 'other' ? homePaths.filter(({ real }) => isClosedToOthers(real)) : []
  if (closed.length > 0) throw new ShellError('unavailable', closedText(closed.map(({ below }) => `~/${below}`)))
  const program = grants?.program ?? ''
  const programs = programPlaces(program, { home, path, projects, isRefused: refusalOf(surroundings) })
  const places = { ...around, folders: [...new Set([...around.folders, ...programs])] }
  const masked = maskedCredentials(places)
  return {
    places,
    masked: { ...masked, folders: [...masked.folders, ...waysIn] },
    homePaths,
  }
}

function isClosedToOthers(place: string): boolean {
  const found = lookAt(place)
  if (!found) return false
  const needed = found.isDirectory() ? 0o7 : 0o6
  return (found.mode & needed) !== needed
}

function closedText(paths: readonly string[]): string {
  return `Coppice runs as root, and what it starts in the sandbox as somebody else, who may not use ${paths.join(', ')}. Start Coppice as an ordinary user, or leave these out of "home".`
}
