import { isAbsolute, join } from 'node:path'
import { promptFileAccess } from '#core/approval/file-policy.ts'
import type { ImportList } from '#shared/contract/views/imports.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Project } from '../project/project.ts'
import { isInside } from '../settings/routes.ts'
import { compareDrafts, fingerprintOf, type Planned } from './compare.ts'
import type { Draft } from './draft.ts'
import { folderPlace, homePlace, type MovedPart } from './place.ts'
import { lookAround, type Present, realPathOf } from './present.ts'
import { claudeInFolder, claudeInHome } from './read-claude.ts'
import { codexInFolder, codexInHome } from './read-codex.ts'
import { cursorInFolder, cursorInHome } from './read-cursor.ts'
import { openCodeInFolder, openCodeInHome } from './read-opencode.ts'
import { latestReceipt } from './receipts.ts'

/** What was found, with what taking each item over writes. */
export interface FoundImports {
  readonly list: ImportList
  readonly planned: readonly Planned[]
  readonly present: Present
}

/** Problems and items that are listed. */
const most = { problems: 200, items: 3000 } as const

/**
 * Looks for what other tools define in the person's home and, once it is trusted, in the folder of the open project. Writes
 * nothing and starts nothing.
 */
export async function findImports(
  parts: Pick<HostParts, 'options' | 'settings'>,
  project: Project | null,
): Promise<FoundImports> {
  const problems: string[] = []
  const isTrusted = project?.info().trusted === true && project.rootFolder !== null
  const drafts = [
    ...(await draftsOfHome(parts, project?.rootFolder ?? null, problems)),
    ...(isTrusted ? await draftsOfFolder(project, problems) : []),
  ]
  if (drafts.length > most.items)
    problems.push(`Only the first ${most.items} of ${drafts.length} definitions are listed.`)
  const present = lookAround(parts, project)
  const planned = compareDrafts(drafts.slice(0, most.items).map(inLines), present)
  const shown = problems.slice(0, most.problems)
  const more = problems.length - shown.length
  const list: ImportList = {
    items: planned.map(({ item }) => item),
    problems: more > 0 ? [...shown, `${more} more are not listed.`] : shown,
    folder: isTrusted ? 'read' : project === null || project.rootFolder === null ? 'none' : 'untrusted',
    fingerprint: fingerprintOf(planned),
    undo: latestReceipt(parts.options.dataFolder),
  }
  return { list, planned, present }
}

const claudeFolder = '.claude'

/** Variables by which people tell these tools where their files are, with what each moves. */
const variables: readonly (readonly [name: string, parts: readonly (readonly [usual: string, at: string])[]])[] = [
  [
    'CLAUDE_CONFIG_DIR',
    [
      [claudeFolder, ''],
      ['.claude.json', '.claude.json'],
    ],
  ],
  ['CODEX_HOME', [['.codex', '']]],
  ['XDG_CONFIG_HOME', [['.config', '']]],
]

/**
 * The parts of a home that variables of the app move. A variable may come from the folder in which the app was started. So none
 * is followed into the open folder: what is there is the folder's, and not the person's own.
 */
function movedParts(
  environment: HostParts['options']['environment'],
  folder: string | null,
  problems: string[],
): readonly MovedPart[] {
  return variables.flatMap(([name, parts]) => {
    const given = environment[name]?.trim() ?? ''
    if (given === '') return []
    const real = realPathOf(given)
    const why = !isAbsolute(given)
      ? 'it is no whole path'
      : folder !== null && isInside(real, realPathOf(folder))
        ? 'it leads into the open folder'
        : undefined
    if (why === undefined) return parts.map(([usual, below]) => ({ usual, at: join(given, below) }))
    problems.push(`${name} was not followed: ${why}.`)
    return []
  })
}

/** Folders of a home whose skills Coppice reads where they are. */
const readHere = ['.claude/skills/', '.agents/skills/']

async function draftsOfHome(
  { options }: Pick<HostParts, 'options'>,
  folder: string | null,
  problems: string[],
): Promise<readonly Draft[]> {
  const home = options.environment.HOME ?? options.environment.USERPROFILE
  if (home === undefined || home === '') return []
  const moved = movedParts(options.environment, folder, problems)
  const place = await homePlace(home, problems, moved)
  const isMoved = moved.some(({ usual }) => usual === claudeFolder)
  const isReadHere = (path: string) => readHere.some((one) => path.startsWith(one))
  return [
    ...(await claudeInHome(place, folder, isMoved ? await homePlace(home, problems) : null)),
    ...(await codexInHome(place, isReadHere)),
    ...(await cursorInHome(place, isReadHere)),
    ...(await openCodeInHome(place, isReadHere)),
  ]
}

async function draftsOfFolder({ services }: Project, problems: string[]): Promise<readonly Draft[]> {
  const { base, settings } = services
  const place = folderPlace({ base, access: () => promptFileAccess(settings().policy) }, problems)
  return [
    ...(await claudeInFolder(place)),
    ...(await codexInFolder(place)),
    ...(await cursorInFolder(place)),
    ...(await openCodeInFolder(place)),
  ]
}

/** Names and sentences on one line each, as they are drawn. */
function inLines(draft: Draft): Draft {
  return { ...draft, name: oneLine(draft.name), source: oneLine(draft.source), notes: draft.notes.map(oneLine) }
}
