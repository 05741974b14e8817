import { strings } from '../state/strings.ts'
import type { SettingsSection } from '../state/view.ts'

const words = strings.settings

export interface SearchedField {
  readonly label: string
  /** What is found beside the label. */
  readonly also?: string
}

const { doctor, extensions, mcp, notifications, settingsFile, storage } = strings

/** What each section has, by the words on the screen. */
const fields: Readonly<Record<SettingsSection, readonly SearchedField[]>> = {
  models: [
    { label: words.model, also: words.modelHint },
    { label: words.key, also: `${words.setKey} token secret` },
    { label: words.baseUrl, also: words.baseUrlHint },
    { label: words.systemPrompt, also: words.systemPromptHint },
    { label: words.maxIterations, also: words.maxIterationsHint },
  ],
  permissions: [
    { label: words.approvalMode, also: Object.values(strings.common.mode).join(' ') },
    ...([words.rules.deny, words.rules.ask, words.rules.allow] as const).map(({ title, hint }) => ({
      label: title,
      also: `${hint} rules sandbox`,
    })),
  ],
  agents: [
    { label: words.depth, also: words.depthHint },
    { label: words.quarantine, also: Object.values(words.quarantineOptions).join(' ') },
    { label: extensions.title.agents },
    { label: extensions.newTitle.agents },
  ],
  skills: [{ label: extensions.title.skills }, { label: extensions.newTitle.skills }],
  mcp: [{ label: mcp.newServer, also: mcp.about }],
  memory: [],
  storage: [{ label: storage.cleanUp, also: storage.about }],
  appearance: [
    { label: words.theme, also: Object.values(words.themes).join(' ') },
    { label: words.contrast, also: Object.values(words.contrasts).join(' ') },
  ],
  keyboard: [],
  notifications: [
    { label: notifications.needsYou, also: notifications.needsYouHint },
    { label: notifications.done, also: notifications.doneHint },
  ],
  transfer: [
    { label: settingsFile.exportTitle, also: settingsFile.exportAbout },
    { label: settingsFile.importTitle, also: settingsFile.importAbout },
  ],
  doctor: [{ label: doctor.run, also: doctor.about }],
}

export const settingsSections = Object.keys(words.sections) as readonly SettingsSection[]

export interface FoundSection {
  readonly section: SettingsSection
  readonly fields: readonly SearchedField[]
}

/** Sections and fields that have every word of the query; of a section that is called so, all fields. */
export function findSettings(query: string): readonly FoundSection[] {
  const asked = query.toLowerCase().split(/\s+/).filter(Boolean)
  const has = (text: string): boolean => asked.every((word) => text.toLowerCase().includes(word))
  return settingsSections.flatMap((section) => {
    const title = words.sections[section]
    if (has(title)) return [{ section, fields: fields[section] }]
    const found = fields[section].filter(({ label, also = '' }) => has(`${title} ${label} ${also}`))
    return found.length > 0 ? [{ section, fields: found }] : []
  })
}
