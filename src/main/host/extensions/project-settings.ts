import { parseSettings } from '#adapters/settings/settings-file.ts'
import type { Settings } from '#adapters/settings/settings-schema.ts'
import type { BaseTree } from '#core/ports/base-tree.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { ExtensionProblem } from './front-matter.ts'
import { narrowingKeys } from './narrow-settings.ts'
import { projectText } from './project-text.ts'

const projectSettingsFile = '/.coppice/settings.json' as VirtualPath

export interface ProjectSettings {
  readonly settings: Settings
  readonly problems: readonly ExtensionProblem[]
}

/** The settings of a trusted project; keys that could only give agents more are named and not used. */
export async function readProjectSettings(base: BaseTree): Promise<ProjectSettings> {
  const file = projectSettingsFile
  const text = await projectText(base, file)
  if (text === undefined) return { settings: {}, problems: [] }
  const { settings, problems } = parseSettings(file, text)
  const refused = Object.keys(settings).filter((key) => !narrowingKeys.has(key))
  const widens = [...refused, ...(settings.permissions?.allow.length ? ['permissions.allow'] : [])]
  return {
    settings: Object.fromEntries(Object.entries(settings).filter(([key]) => narrowingKeys.has(key))),
    problems: [
      ...problems.map((message) => ({ file, line: null, message })),
      ...widens.map((key) => ({
        file,
        line: null,
        message: `${key} is not used: a project can only narrow what agents may do.`,
      })),
    ],
  }
}
