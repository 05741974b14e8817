import { join } from 'node:path'
import type { ShellGrants } from '#core/ports/shell.ts'
import { maskedCredentials, placesAround, type ReadablePlaces, refusalOf } from '../readable-places.ts'
import { programPlaces } from './program-places.ts'

interface Surroundings {
  /** The app's own folders. */
  readonly hidden: readonly string[]
  readonly home: string
  readonly environment: NodeJS.ProcessEnv
  /** As PATH has it. */
  readonly path: string
}

/** What one command finds of the machine: the usual places without the project, and those that a person granted to it. */
export function placesOf(
  projects: readonly string[],
  usual: ReadablePlaces,
  grants: ShellGrants | undefined,
  surroundings: Surroundings,
) {
  const { around, waysIn } = placesAround(projects, usual)
  const { home, path } = surroundings
  const program = grants?.program ?? ''
  const programs = programPlaces(program, { home, path, projects, isRefused: refusalOf(surroundings) })
  const places = { ...around, folders: [...new Set([...around.folders, ...programs])] }
  const masked = maskedCredentials(places)
  return {
    places,
    masked: { ...masked, folders: [...masked.folders, ...waysIn] },
    homePaths: (grants?.home ?? []).map((below) => ({ real: join(home, below), below })),
  }
}
