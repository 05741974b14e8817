import { tellAddress, tellProgram } from '#adapters/programs/tell.ts'
import { checkSettings } from '#adapters/settings/settings-check.ts'
import { settingsReference } from '#adapters/settings/settings-reference.ts'
import { type Budgets, defaultBudgets } from '#core/agent/types/settings.ts'
import { ruleProblems } from '#core/approval/rule-problems.ts'
import { deadRules } from '#core/approval/rules.ts'
import { noServerTools } from '#core/approval/tool-names.ts'
import { ModelError } from '#core/ports/model-client.ts'
import type { ConnectionTest, ModelChoice } from '#shared/contract/views/app.ts'
import { budgetScopes, type NotifyTarget, type NotifyTest, type SettingsView } from '#shared/contract/views/settings.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { builtInProfile } from '#shared/model/models/provider.ts'
import type { DeadRule, PermissionRules } from '#shared/model/settings.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer, InputOf } from '../app/implementer.ts'
import { withAddress } from '../models/profiles.ts'
import { choicesAt } from '../models/provider.ts'
import { givenToPrograms } from '../project/opening.ts'
import { requireRules } from './rules.ts'
import { bytesOfGigabyte } from './settings-source.ts'

const testTimeoutMs = 15_000

export function settingsHandlers(os: Implementer, parts: HostParts) {
  const { options, settings, provider } = parts
  const view = () => settingsView(parts)
  return {
    get: os.settings.get.handler(async () => view()),
    text: os.settings.text.handler(async () => ({ file: settings.file, text: settings.text() })),
    reference: os.settings.reference.handler(async () => settingsReference()),
    check: os.settings.check.handler(async ({ input }) => checkSettings(input.text).problems),
    replace: os.settings.replace.handler(async ({ input }) => {
      const [first] = checkSettings(input.text).problems.filter(({ wrong }) => wrong)
      if (first) throw new WireError('REFUSED', `Line ${first.line ?? 1}: ${first.message} Nothing was saved.`)
      if (settings.text() !== input.from)
        throw new WireError('CONFLICT', 'The settings file was changed elsewhere since. Nothing was saved.')
      settings.replace(input.text)
      return { file: settings.file, text: settings.text() }
    }),
    update: os.settings.update.handler(async ({ input }) => {
      await update(parts, input)
      return view()
    }),
    testNotify: os.settings.testNotify.handler(async ({ input }) => testNotify(parts, input)),
    changeRules: os.settings.changeRules.handler(async ({ input }) => {
      requireRules(input.add, input.effect)
      await settings.updateRules(input)
      return view()
    }),
    setKey: os.settings.setKey.handler(async ({ input }) => {
      if (input.remember && options.secrets.storage === 'plain' && !input.consent) {
        throw new WireError(
          'REFUSED',
          'This system has no key store: the key would be kept in a file only you can read. Agree to that, or use it for this session only.',
        )
      }
      await provider.open(builtInProfile).secret.set(input.key, input.remember && options.secrets.storage !== 'none')
      return view()
    }),
    clearKey: os.settings.clearKey.handler(async () => {
      await provider.open(builtInProfile).secret.clear()
      return view()
    }),
    test: os.settings.test.handler(async ({ input }): Promise<ConnectionTest> => {
      try {
        const models = await listModels(parts, input, AbortSignal.timeout(testTimeoutMs))
        return { ok: true, message: `Connected: ${models.length} ${models.length === 1 ? 'model' : 'models'}.`, models }
      } catch (error) {
        const message =
          error instanceof ModelError
            ? error.message
            : 'No answer within 15 seconds. Check the base URL and the network.'
        return { ok: false, message, models: [] }
      }
    }),
  }
}

function settingsView({ options, settings, provider }: HostParts): SettingsView {
  const { baseUrl, approvalMode, commandApprovals, agents, environmentBytes, outward, spans, problems, rulesFile } =
    settings.read()
  const { rules } = agents.policy
  return {
    file: settings.file,
    model: provider.info().model,
    baseUrl,
    systemPrompt: agents.systemPrompt,
    maxIterations: agents.maxIterations,
    environmentsMaxGb: environmentBytes / bytesOfGigabyte,
    maxSubagentDepth: agents.maxSubagentDepth,
    budgets: costLimits(agents.budgets),
    usualBudgets: costLimits(defaultBudgets),
    approvalMode,
    commandApproval: commandApprovals.everywhere ?? null,
    quarantine: agents.quarantine,
    outward,
    spans: spans && { host: new URL(spans.url).host, content: spans.content },
    keySource: provider.info().keySource,
    keyStorage: options.secrets.storage,
    rules,
    rulesFile,
    deadRules: rulesThatNeverDecide(rules),
    problems,
  }
}

async function update(
  { settings, projects }: HostParts,
  input: InputOf<Implementer['settings']['update']>,
): Promise<void> {
  if (input.grantHosts) {
    const { rootFolder } = projects.get(input.grantHosts.projectId)
    if (rootFolder === null)
      throw new WireError('REFUSED', 'A workspace without a folder keeps no hosts. Name them for each command.')
    settings.grantHosts(rootFolder, input.grantHosts.hosts)
  }
  // Only the mode, so that what the file says about inheritance stays.
  if (input.quarantine) settings.put(['quarantine', 'mode'], input.quarantine)
  if (input.environmentsMaxGb !== undefined) settings.put(['environments', 'max_gb'], input.environmentsMaxGb)
  if (input.commandApproval !== undefined) settings.put(['approvals', 'commands'], input.commandApproval ?? undefined)
  if (input.outward) saveOutward(settings, input.outward)
  for (const scope of budgetScopes) {
    const cost = input.budgets?.[scope]
    if (cost !== undefined) settings.put(['budgets', scope, 'cost'], cost === 'default' ? undefined : cost)
  }
  await settings.update({
    model: input.model,
    base_url: input.baseUrl,
    system_prompt: input.systemPrompt,
    max_iterations: input.maxIterations,
    max_subagent_depth: input.maxSubagentDepth,
    approval_mode: input.approvalMode,
  })
}

function saveOutward(
  settings: HostParts['settings'],
  { fetchesPages, privateHosts, keepAwake, notify }: NonNullable<InputOf<Implementer['settings']['update']>['outward']>,
): void {
  if (fetchesPages !== undefined) settings.put(['web', 'fetch'], fetchesPages)
  if (privateHosts) settings.put(['web', 'private_hosts'], privateHosts.length > 0 ? privateHosts : undefined)
  if (keepAwake !== undefined) settings.put(['keep_awake'], keepAwake)
  if (notify === null) settings.put(['notify'], undefined)
  else if (notify) settings.put(['notify'], notify.kind === 'url' ? { url: notify.url } : { command: notify.command })
}

/** Sends a message of the kind `test` to a program or an address of the person. */
async function testNotify({ options, provider }: HostParts, target: NotifyTarget): Promise<NotifyTest> {
  const message = {
    ...{ event: 'test', project: 'Coppice', at: new Date().toISOString() },
    text: 'A test: Coppice would tell you here that an agent needs you.',
  }
  const telling = {
    workingFolder: options.dataFolder,
    environment: givenToPrograms({ options, provider }),
    signal: new AbortController().signal,
  }
  try {
    if (target.kind === 'command') await tellProgram(target.command, message, telling)
    else await tellAddress(target.url, message, telling)
    return { ok: true, message: 'It got through.' }
  } catch (error) {
    return { ok: false, message: `It did not get through: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** The models that a typed key or address leads to, before it is kept. */
async function listModels(
  { provider }: HostParts,
  { key, baseUrl }: { readonly key?: string | undefined; readonly baseUrl?: string | undefined },
  signal: AbortSignal,
): Promise<readonly ModelChoice[]> {
  const saved = provider.open(builtInProfile)
  const isSaved = !key && (!baseUrl || baseUrl === saved.profile.address)
  const profile = baseUrl ? withAddress(saved.profile, baseUrl) : saved.profile
  const open = isSaved ? saved : provider.openTrial(profile)
  if (!isSaved) await open.secret.ready
  if (!isSaved && key) await open.secret.set(key, false)
  const models = isSaved ? await provider.list(open, signal) : await open.client.models(signal)
  return choicesAt(open, models)
}

function costLimits({ run, thread, batch, subagent }: Budgets): SettingsView['budgets'] {
  return { run: run.cost, thread: thread.cost, batch: batch.cost, subagent: subagent.cost }
}

/** The rules that nothing fits, then those before which another one always decides. */
function rulesThatNeverDecide(rules: PermissionRules): readonly DeadRule[] {
  const unfit = ruleProblems(rules, noServerTools).map((one): DeadRule => ({ ...one, because: null }))
  const isUnfit = ({ effect, text }: DeadRule): boolean =>
    unfit.some((one) => one.effect === effect && one.text === text)
  return [...unfit, ...deadRules(rules).filter((one) => !isUnfit(one))]
}
