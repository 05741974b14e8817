import { budgetScopes } from '#shared/contract/views/settings.ts'
import type { SettingsSection } from '../state/store/ui-state.ts'
import { checkDetails } from '../strings/later/check-details.ts'
import { extensionStrings, mcpStrings } from '../strings/later/extensions.ts'
import { hookStrings } from '../strings/later/hooks.ts'
import { importStrings } from '../strings/later/imports.ts'
import { modelSettingsStrings as profiles, modelRoleStrings as roles } from '../strings/later/model-settings.ts'
import { outwardStrings as outward } from '../strings/later/outward.ts'
import { slashStrings } from '../strings/later/slash.ts'
import { usageStrings as usage } from '../strings/later/usage.ts'
import { strings } from '../strings/strings.ts'

const labels = strings.settings

interface SearchedField {
  readonly label: string
  /** Other words that also find the field. */
  readonly also?: string
}

const { about, doctor, notifications, settingsFile, storage } = strings

/** The fields of each section, by the words on screen. */
const fields: Readonly<Record<SettingsSection, readonly SearchedField[]>> = {
  models: [
    { label: roles.model, also: roles.modelHint },
    { label: roles.subagents, also: `${roles.subagentsHint} subagent_model` },
    { label: roles.summaries, also: `${roles.summariesHint} summary_model` },
    { label: roles.fallback, also: `${roles.fallbackHint} fallback` },
    { label: profiles.profiles, also: `${profiles.profilesAbout} provider gateway window prices` },
    { label: profiles.find, also: 'local' },
    { label: labels.key, also: `${labels.setKey} token secret` },
    { label: labels.baseUrl, also: labels.baseUrlHint },
    { label: labels.systemPrompt, also: labels.systemPromptHint },
    { label: labels.maxIterations, also: labels.maxIterationsHint },
  ],
  permissions: [
    { label: labels.approvalMode, also: Object.values(strings.common.mode).join(' ') },
    { label: labels.commandApproval.title, also: 'approve effects keep drop before after' },
    ...([labels.rules.deny, labels.rules.ask, labels.rules.allow] as const).map(({ title, hint }) => ({
      label: title,
      also: `${hint} rules sandbox`,
    })),
    { label: outward.fetch, also: `${outward.fetchHint} internet` },
  ],
  agents: [
    { label: labels.depth, also: labels.depthHint },
    { label: labels.quarantine, also: Object.values(labels.quarantineOptions).join(' ') },
    { label: extensionStrings.title.agents },
    { label: extensionStrings.newTitle.agents },
  ],
  skills: [
    { label: extensionStrings.title.skills },
    { label: extensionStrings.newTitle.skills },
    { label: slashStrings.title, also: slashStrings.about },
  ],
  mcp: [{ label: mcpStrings.newServer, also: mcpStrings.about }],
  hooks: [{ label: hookStrings.list, also: hookStrings.about }],
  memory: [],
  usage: [
    { label: usage.chart.day, also: `${usage.cost} ${usage.tokens} money spending` },
    { label: usage.table, also: `${Object.values(usage.groupings).join(' ')} money tokens` },
    { label: usage.exportCsv, also: usage.exportHint },
    ...budgetScopes.map((scope) => ({
      label: `${usage.budgets}: ${usage.budget[scope]}`,
      also: `${usage.budgetHint[scope]} limit money`,
    })),
  ],
  setup: [{ label: strings.setup.command, also: `${strings.setup.about} ${strings.setup.hosts} install environment` }],
  checks: [{ label: strings.checks.title, also: `${checkDetails.settings.about} tests red green merge` }],
  storage: [
    { label: storage.cleanUp, also: storage.about },
    { label: storage.environments.title, also: storage.environments.about },
    { label: storage.environments.limit, also: storage.environments.limitHint },
  ],
  appearance: [
    { label: labels.theme, also: Object.values(labels.themes).join(' ') },
    { label: labels.contrast, also: Object.values(labels.contrasts).join(' ') },
  ],
  keyboard: [],
  notifications: [
    { label: notifications.needsYou, also: notifications.needsYouHint },
    { label: notifications.done, also: notifications.doneHint },
    { label: notifications.sounds, also: notifications.soundsHint },
    { label: outward.keepAwake, also: `${outward.away} sleep keep_awake` },
    { label: outward.notify, also: `${outward.away} phone notify webhook` },
  ],
  imports: Object.values(importStrings.tool).map((label) => ({ label, also: `${importStrings.about} migrate` })),
  transfer: [
    { label: settingsFile.exportTitle, also: settingsFile.exportAbout },
    { label: settingsFile.importTitle, also: settingsFile.importAbout },
  ],
  doctor: [{ label: doctor.run, also: doctor.about }],
  about: [
    { label: about.check, also: `${about.automatic} ${about.automaticHint} version` },
    { label: about.data, also: about.dataHint },
    { label: about.command, also: about.commandHint },
  ],
}

export const settingsSections = Object.keys(labels.sections) as readonly SettingsSection[]

interface FoundSection {
  readonly section: SettingsSection
  readonly fields: readonly SearchedField[]
}

/**
 * Sections and fields that contain every word of the query. If a section's title matches, all its fields are
 * included.
 */
export function findSettings(query: string): readonly FoundSection[] {
  const asked = query.toLowerCase().split(/\s+/).filter(Boolean)
  const has = (text: string): boolean => asked.every((word) => text.toLowerCase().includes(word))
  return settingsSections.flatMap((section) => {
    const title = labels.sections[section]
    if (has(title)) return [{ section, fields: fields[section] }]
    const found = fields[section].filter(({ label, also = '' }) => has(`${title} ${label} ${also}`))
    return found.length > 0 ? [{ section, fields: found }] : []
  })
}
