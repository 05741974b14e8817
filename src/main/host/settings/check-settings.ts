import { checkSettings } from '#adapters/settings/settings-check.ts'
import { putSetting, readSettings, settingsText } from '#adapters/settings/settings-file.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { CheckDefinition } from '#shared/model/check.ts'
import { concerns } from '#shared/model/settings.ts'
import { folderIn } from './setup-settings.ts'

/** What a person set about checks. */
export interface CheckSettings {
  /** For all projects. */
  readonly general: readonly CheckDefinition[]
  /** By the folder of a project. An empty list wants no proposals. */
  readonly byFolder: Readonly<Record<string, readonly CheckDefinition[]>>
}

/** A check as a person writes it. */
export interface GivenCheck {
  readonly name: string
  readonly run: string
  readonly required: boolean
}

export interface CheckChoice {
  readonly checks: readonly CheckDefinition[]
  /** True when the person wants none proposed for this project. */
  readonly never: boolean
}

/** The checks of the project in a folder. Of checks with one name, the person's own wins, those of the folder first. */
export function chooseChecks(
  { general, byFolder }: CheckSettings,
  ofProject: readonly CheckDefinition[],
  rootFolder: string | null,
): CheckChoice {
  const own = rootFolder === null ? undefined : byFolder[folderIn(byFolder, rootFolder)]
  const checks = new Map([...ofProject, ...general, ...(own ?? [])].map((one) => [one.name, one]))
  return { checks: [...checks.values()], never: own !== undefined }
}

/**
 * Stores checks of a folder in a settings file. Throws a refusal while the file says something wrong about checks, which
 * would be lost.
 */
export function saveChecks(file: string, rootFolder: string, checks: readonly GivenCheck[]): void {
  const wrong = checkSettings(settingsText(file)).problems.find((problem) => concerns(problem, ['checks_by_folder']))
  if (wrong)
    throw new WireError('REFUSED', `${file}:${wrong.line ?? 1}: ${wrong.message} Correct it first. Nothing was saved.`)
  const byFolder = readSettings(file).settings.checks_by_folder ?? {}
  const folder = folderIn(byFolder, rootFolder)
  const names = new Set(checks.map(({ name }) => name))
  const kept = (byFolder[folder] ?? []).filter(({ name }) => !names.has(name)).map(writtenCheck)
  const added = checks.map(({ name, run, required }) => ({ name, run, ...(!required && { required }) }))
  putSetting(file, ['checks_by_folder', folder], [...kept, ...added])
}

function writtenCheck({ timeoutSeconds, ...rest }: CheckDefinition) {
  return { ...rest, timeout: timeoutSeconds }
}
