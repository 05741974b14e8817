import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkSettings } from '#adapters/settings/settings-check.ts'
import type { Settings } from '#adapters/settings/settings-schema.ts'
import { readBounded, textIfReadable } from '#adapters/system/read-bounded.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Project } from '../project/project.ts'
import { isInside } from '../settings/routes.ts'

/** What the person has here now. An import is compared with it, and changes it. */
export interface Present {
  readonly settingsFile: string
  readonly settingsText: string
  /** Of the person's own file alone. */
  readonly settings: Settings
  /** Why the settings file cannot be changed. Null when it can. */
  readonly settingsProblem: string | null
  readonly dataFolder: string
  /** The text of a file below the data folder. Undefined for none. */
  file(path: string): string | undefined
  /**
   * True for a path below the data folder where nothing may be written: a link leads out of it, so that the file is somebody
   * else's, or what is there is no text, so that an undo could not restore it.
   */
  isOthers(path: string): boolean
  /** Of the open project. Null without one. */
  readonly memory: ((name: string) => string | null) | null
}

/** Settings that an import may add to. */
const changed: ReadonlySet<string> = new Set(['mcp_servers', 'subagents', 'permissions', 'hooks'])

/** The instructions of the person, below the data folder. */
export const instructionsFile = 'AGENTS.md'

export function lookAround(
  { options, settings }: Pick<HostParts, 'options' | 'settings'>,
  project: Project | null,
): Present {
  const { dataFolder } = options
  const text = settings.text()
  const checked = checkSettings(text)
  const [wrong] = checked.problems.filter(({ wrong, about }) => wrong && (about === null || changed.has(about)))
  return {
    settingsFile: settings.file,
    settingsText: text,
    settings: checked.settings,
    settingsProblem:
      wrong === undefined ? null : `${settings.file}, line ${wrong.line ?? 1}: ${wrong.message} Correct that first.`,
    dataFolder,
    file: (path) => textIfReadable(join(dataFolder, path)),
    isOthers(path) {
      const file = join(dataFolder, path)
      return !isInside(realPathOf(file), realPathOf(dataFolder)) || (existsSync(file) && !isText(file))
    },
    memory: project && ((name) => project.services.log.state.memories.get(name)?.text ?? null),
  }
}

/** True for a file whose bytes are those of its text. */
function isText(file: string): boolean {
  try {
    const bytes = readBounded(file)
    return Buffer.from(bytes.toString('utf8')).equals(bytes)
  } catch {
    return false
  }
}

/** Where a path leads, as far as it exists. */
export function realPathOf(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  const above = dirname(path)
  return above === path ? path : join(realPathOf(above), path.slice(above.length))
}
