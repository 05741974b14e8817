import { type ProviderSetting, profileName, providerSetting } from '#adapters/settings/providers-schema.ts'
import { ModelError } from '#core/ports/model-client.ts'
import type { ModelDraft, ProfileDraft } from '#shared/contract/models.ts'
import type {
  ModelsView,
  ModelTest,
  PresetView,
  ProfileModel,
  ProfileOwn,
  ProfileView,
} from '#shared/contract/views/models.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { builtInProfile } from '#shared/model/models/provider.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer, InputOf } from '../app/implementer.ts'
import { carryKey, dropKey, losesKey, renameReferences } from './carry-key.ts'
import { findLocalServers } from './find-local.ts'
import { isSameOrigin, needsSecret, type OpenProfile } from './open-profile.ts'
import { type ProviderPreset, providerPresets } from './presets.ts'
import { type Profile, profileFrom } from './profiles.ts'
import { knownModels } from './provider.ts'
import { referenceName } from './references.ts'
import { testModel } from './test-model.ts'

const listMs = 15_000
const testMs = 120_000

type TypedKey = { readonly key: string; readonly remember: boolean; readonly consent: boolean }

export function modelHandlers(os: Implementer, parts: HostParts) {
  const { settings, provider } = parts
  const view = () => modelsView(parts)
  return {
    get: os.models.get.handler(async () => view()),
    save: os.models.save.handler(({ input }) => saveProfile(parts, input)),
    remove: os.models.remove.handler(async ({ input }) => {
      if (ownValue(settings.read().providers, input.profile) === undefined)
        throw new WireError('NOT_FOUND', `There is no profile ${input.profile} in the settings.`)
      const profiles = provider.profiles()
      if (profiles.byName.has(input.profile)) await dropKey(provider.open(input.profile), profiles)
      const isUsual = profiles.usual.name === input.profile
      settings.put(['providers', input.profile], undefined)
      if (isUsual) settings.put(['default_provider'], undefined)
      return view()
    }),
    setKey: os.models.setKey.handler(async ({ input }) => {
      await keepKey(parts, input.profile, input.key)
      return view()
    }),
    clearKey: os.models.clearKey.handler(async ({ input }) => {
      await provider.open(input.profile).secret.clear()
      return view()
    }),
    setModel: os.models.setModel.handler(async ({ input: { profile, model, draft } }) => {
      const { providers } = settings.read()
      // The built-in profile has its models in a setting of its own name, and stays as it is otherwise.
      if (ownValue(providers, profile) === undefined)
        throw new WireError('REFUSED', `Save a profile of your own first: the models of ${profile} cannot be changed.`)
      for (const [key, value] of Object.entries(modelSetting(draft)))
        settings.put(['providers', profile, 'models', model, key], value ?? undefined)
      return view()
    }),
    choose: os.models.choose.handler(async ({ input }) => {
      choose(parts, input)
      return view()
    }),
    list: os.models.list.handler(async ({ input }) => {
      try {
        await provider.list(provider.open(input.profile), AbortSignal.timeout(listMs))
      } catch (error) {
        throw new WireError('REFUSED', problemOf(error, 'The server did not list its models in time.'))
      }
      return view()
    }),
    test: os.models.test.handler(({ input }) => test(parts, input)),
    findLocal: os.models.findLocal.handler(async () => findLocalServers(AbortSignal.timeout(listMs))),
    forget: os.models.forget.handler(async ({ input }) => {
      provider.learned.forget(input.profile, input.model)
      return view()
    }),
  }
}

function modelsView(parts: HostParts): ModelsView {
  const { settings, provider } = parts
  const { agents } = settings.read()
  const { byName, problems } = provider.profiles()
  return {
    profiles: [...byName.values()].map((profile) => profileView(parts, profile)),
    presets: providerPresets.map(presetView),
    problems,
    subagentModel: agents.subagentModel,
    summaryModel: agents.summaryModel,
    fallback: agents.fallback,
  }
}

function profileView({ settings, provider }: HostParts, profile: Profile): ProfileView {
  const { name, kind, preset, address, scheme, concurrency, secret: place } = profile
  const { usual } = provider.profiles()
  const refused = provider.learned.refused(name, address ?? '')
  const nameOf = (id: string) => referenceName({ profile, id }, provider.profiles())
  const { secret, factsOf } = provider.open(name)
  const known = knownModels(profile, provider.learned.listed(name, address ?? ''))
  const setting = ownValue(settings.read().providers, name)
  const ownModels = setting?.models ?? {}
  return {
    ...{ name, kind, address, scheme, concurrency },
    preset: preset?.id ?? null,
    secret: secret.source(),
    secretPlace: placeInWords(place),
    needsSecret: needsSecret(profile),
    usual: name === usual.name,
    builtIn: name === builtInProfile && setting === undefined,
    own: ownOf(setting ?? {}),
    models: [...new Set([...known, ...Object.keys(refused)])].map(
      (id): ProfileModel => ({
        ...{ id: nameOf(id), name: factsOf(id).name, refused: ownValue(refused, id) ?? [] },
        ...(Object.keys(ownValue(ownModels, id) ?? {}).length > 0 && { edited: true }),
      }),
    ),
  }
}

/** Saves a profile, under another name where it had one, and moves or takes away its key. */
async function saveProfile(
  parts: HostParts,
  { draft, replaces, key }: InputOf<Implementer['models']['save']>,
): Promise<ModelsView> {
  const { settings, provider } = parts
  const taken = draft.name !== replaces && provider.profiles().byName.has(draft.name)
  if (taken && draft.name !== builtInProfile)
    throw new WireError('REFUSED', `There is a profile ${draft.name} already. Choose another name.`)
  const made = requireProfile(draft)
  if (key) requireKeepable(parts, made, key)
  const replaced = replaces ?? (draft.name === builtInProfile ? builtInProfile : null)
  const isKnown = replaced !== null && provider.profiles().byName.has(replaced)
  const old = isKnown ? provider.open(replaced) : undefined
  const isLost = old !== undefined && (await losesKey(old, made.address))
  const before = replaces === null ? undefined : ownValue(settings.read().providers, replaces)
  // Before the new address is in the settings, so that no request carries the key there.
  if (isLost) await dropKey(old, provider.profiles())
  if (replaces !== null && replaces !== draft.name) settings.put(['providers', replaces], undefined)
  settings.put(['providers', draft.name], {
    ...keepAuth(settingOf(draft), before, isLost),
    ...(before?.models && { models: before.models }),
  })
  if (replaces !== null && replaces !== draft.name) renameReferences(settings, replaces, draft.name)
  const saved = provider.open(draft.name)
  await saved.secret.ready
  if (old && !isLost && replaced !== draft.name) await carryKey(old, saved, provider.profiles())
  if (key) await keepKey(parts, draft.name, key)
  return isLost && !key ? withNote(modelsView(parts), lostKey(draft.name)) : modelsView(parts)
}

function choose(
  { settings, provider }: HostParts,
  { usual, subagentModel, summaryModel, fallback }: InputOf<Implementer['models']['choose']>,
): void {
  const named = [subagentModel, summaryModel, ...(fallback ?? [])].filter((one) => typeof one === 'string')
  for (const one of named) {
    const resolved = provider.resolveModel(one)
    if (!resolved.ok) throw new WireError('BAD_REQUEST', resolved.error)
  }
  if (typeof usual === 'string') provider.open(usual)
  if (usual !== undefined)
    settings.put(['default_provider'], usual === builtInProfile ? undefined : (usual ?? undefined))
  if (subagentModel !== undefined) settings.put(['subagent_model'], subagentModel ?? undefined)
  if (summaryModel !== undefined) settings.put(['summary_model'], summaryModel ?? undefined)
  if (fallback !== undefined) settings.put(['fallback'], fallback.length === 0 ? undefined : [...fallback])
}

async function test(
  parts: HostParts,
  { profile, model, key }: InputOf<Implementer['models']['test']>,
): Promise<ModelTest> {
  const { provider } = parts
  const open = await openFor(parts, profile, key)
  const signal = AbortSignal.timeout(testMs)
  const { name, address } = open.profile
  const isSaved = provider.profiles().byName.get(name) === open.profile
  if (model !== undefined && isSaved) provider.learned.forget(name, model)
  const nameOf = (id: string) => (isSaved ? referenceName({ profile: open.profile, id }, provider.profiles()) : id)
  try {
    const listed = await (isSaved ? provider.list(open, signal) : open.client.models(signal))
    const known = isSaved ? provider.learned.listed(name, address ?? '') : listed
    const chosen = model ?? knownModels(open.profile, known)[0] ?? null
    return await testModel(open, chosen, listed, { nameOf, signal })
  } catch (error) {
    const message = problemOf(error, 'No answer within two minutes. Check the base URL and the network.')
    return { model: model ?? null, ok: false, message, abilities: [], firstMs: null, cost: null, models: [] }
  }
}

/** Throws a refusal for a key that cannot be kept as the person wants it. */
function requireKeepable(
  { options }: HostParts,
  { name, secret: place }: Profile,
  { remember, consent }: TypedKey,
): void {
  if (remember && place.kind !== 'store')
    throw new WireError(
      'REFUSED',
      `The key of ${name} is not kept in the key store: ${placeInSentence(place)}. Change that first, or use the key for this session only.`,
    )
  if (remember && options.secrets.storage === 'plain' && !consent)
    throw new WireError(
      'REFUSED',
      'This system has no key store: the key would be kept in a file only you can read. Agree to that, or use it for this session only.',
    )
}

async function keepKey(parts: HostParts, profile: string, typed: TypedKey): Promise<void> {
  const { options, provider } = parts
  const open = provider.open(profile)
  requireKeepable(parts, open.profile, typed)
  await open.secret.set(typed.key, typed.remember && options.secrets.storage !== 'none')
}

/** A saved profile, or a draft with its key in memory. */
async function openFor(
  { provider }: HostParts,
  given: string | ProfileDraft,
  key: string | undefined,
): Promise<OpenProfile> {
  if (typeof given === 'string' && key === undefined) return provider.open(given)
  const profile = typeof given === 'string' ? provider.open(given).profile : requireProfile(given)
  // A draft with another address is another server, which must not get the saved key.
  const saved = provider.profiles().byName.get(profile.name)
  const trial = provider.openTrial(profile, saved !== undefined && isSameOrigin(saved.address, profile.address))
  if (key !== undefined) await trial.secret.set(key, false)
  return trial
}

function lostKey(name: string): string {
  return `${name} has another address now, so its key was taken away. Enter the key of the new server.`
}

function withNote(view: ModelsView, note: string): ModelsView {
  return { ...view, problems: [...view.problems, note] }
}

function ownValue<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

function problemOf(error: unknown, late: string): string {
  if (error instanceof ModelError) return error.message
  if (error instanceof DOMException) return late
  throw error
}

/**
 * A form knows less of the secret's place than the settings: a command as a list is one line there, and a name in the key
 * store is not shown. Both stay as they are while the form says the same.
 */
function keepAuth(next: ProviderSetting, before: ProviderSetting | undefined, isKeyLost: boolean): ProviderSetting {
  const { command, ...auth } = before?.auth ?? {}
  const key = isKeyLost ? undefined : auth.key
  const said = next.auth
  if (command !== undefined && said?.command === commandInWords(command)) return { ...next, auth: { ...said, command } }
  if (key !== undefined && said?.env === undefined && said?.command === undefined)
    return { ...next, auth: { ...said, key } }
  return next
}

function ownOf({ kind, base_url: address, auth = {}, ...rest }: ProviderSetting): ProfileOwn {
  const { concurrency, headers, thoughts, region, project, resource } = rest
  const command = auth.command === undefined ? undefined : commandInWords(auth.command)
  const secret = { scheme: auth.scheme, env: auth.env, command }
  return withoutGaps({ kind, address, ...secret, concurrency, headers, thoughts, region, project, resource })
}

function commandInWords(command: string | readonly string[]): string {
  return typeof command === 'string' ? command : command.join(' ')
}

function placeInWords(place: Profile['secret']): string | null {
  if (place.kind === 'env') return place.variable
  if (place.kind !== 'command') return null
  return commandInWords(place.command)
}

function placeInSentence(place: Profile['secret']): string {
  if (place.kind === 'env') return `the settings take it from the variable ${place.variable}`
  return place.kind === 'command' ? 'the settings have a command that prints it' : 'its server gets none'
}

function presetView({ id, name, kind, baseUrl: address, scheme, env, local, page }: ProviderPreset): PresetView {
  return { id, name, kind, address, scheme, env, local, page }
}

/** The profile of a draft. Throws a refusal that says what is wrong with it. */
function requireProfile(draft: ProfileDraft): Profile {
  const name = profileName.safeParse(draft.name)
  const setting = providerSetting.safeParse(settingOf(draft))
  const [issue] = name.error?.issues ?? setting.error?.issues ?? []
  if (issue || !setting.success) throw new WireError('REFUSED', `${issue?.message ?? 'This profile cannot be used.'}`)
  const made = profileFrom(draft.name, setting.data)
  if (typeof made === 'string') throw new WireError('REFUSED', made)
  return made
}

function settingOf(draft: ProfileDraft): ProviderSetting {
  const { kind, preset, baseUrl, scheme, env, command, headers, concurrency, thoughts, region, project, resource } =
    draft
  const auth = { scheme, env, command }
  const isAuth = Object.values(auth).some((value) => value !== undefined)
  const setting = {
    ...{ kind, preset, base_url: baseUrl, auth: isAuth ? withoutGaps(auth) : undefined },
    headers: headers && Object.keys(headers).length > 0 ? headers : undefined,
    ...{ concurrency, thoughts, region, project, resource },
  }
  return withoutGaps(setting)
}

function modelSetting({ maxOutput, prices, efforts, ...rest }: ModelDraft): Readonly<Record<string, unknown>> {
  const priced = prices && {
    input: prices.input,
    output: prices.output,
    ...(prices.cacheRead !== undefined && { cache_read: prices.cacheRead }),
    ...(prices.cacheWrite !== undefined && { cache_write: prices.cacheWrite }),
  }
  return withoutGaps({ ...rest, max_output: maxOutput, prices: priced, effort: efforts })
}

function withoutGaps<Value extends object>(value: Value): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [Key in keyof Value]?: Exclude<Value[Key], undefined>
  }
}
