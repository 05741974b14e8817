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
import type { HostParts } from '../composition/host-parts.ts'
import type { Implementer } from '../composition/router.ts'
import { findLocalServers } from './find-local.ts'
import { needsSecret, type OpenProfile } from './open-profile.ts'
import { type ProviderPreset, providerPresets } from './presets.ts'
import { type Profile, profileFrom } from './profiles.ts'
import { knownModels } from './provider.ts'
import { referenceName } from './references.ts'
import { testModel } from './test-model.ts'

const listMs = 15_000
const testMs = 120_000

type TypedKey = { readonly key: string; readonly remember: boolean; readonly consent: boolean }

export function modelHandlers(os: Implementer, { options, settings, provider }: HostParts) {
  const view = (): ModelsView => {
    const { agents } = settings.read()
    const { byName, problems } = provider.profiles()
    return {
      profiles: [...byName.values()].map((profile) => profileView(profile)),
      presets: providerPresets.map(presetView),
      problems,
      subagentModel: agents.subagentModel,
      summaryModel: agents.summaryModel,
      fallback: agents.fallback,
    }
  }
  const profileView = (profile: Profile): ProfileView => {
    const { name, kind, preset, address, scheme, concurrency, secret: place } = profile
    const { usual } = provider.profiles()
    const refused = provider.learned.refused(name, address ?? '')
    const nameOf = (id: string) => referenceName({ profile, id }, provider.profiles())
    const { secret, factsOf } = provider.open(name)
    const known = knownModels(profile, provider.learned.listed(name, address ?? ''))
    const setting = settings.read().providers[name]
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
          ...{ id: nameOf(id), name: factsOf(id).name, refused: refused[id] ?? [] },
          ...(Object.keys(setting?.models?.[id] ?? {}).length > 0 && { edited: true }),
        }),
      ),
    }
  }
  const keepKey = async (profile: string, { key, remember, consent }: TypedKey): Promise<void> => {
    if (remember && options.secrets.storage === 'plain' && !consent)
      throw new WireError(
        'REFUSED',
        'This system has no key store: the key would be kept in a file only you can read. Agree to that, or use it for this session only.',
      )
    await provider.open(profile).secret.set(key, remember && options.secrets.storage !== 'none')
  }
  /** A saved profile, or a draft with its key in memory. */
  const openFor = async (given: string | ProfileDraft, key: string | undefined): Promise<OpenProfile> => {
    if (typeof given === 'string' && key === undefined) return provider.open(given)
    const profile = typeof given === 'string' ? provider.open(given).profile : requireProfile(given)
    const trial = provider.openTrial(profile)
    if (key !== undefined) await trial.secret.set(key, false)
    return trial
  }
  return {
    get: os.models.get.handler(async () => view()),
    save: os.models.save.handler(async ({ input: { draft, replaces, key } }) => {
      const taken = draft.name !== replaces && provider.profiles().byName.has(draft.name)
      if (taken && draft.name !== builtInProfile)
        throw new WireError('REFUSED', `There is a profile ${draft.name} already. Choose another name.`)
      requireProfile(draft)
      const before = replaces === null ? undefined : settings.read().providers[replaces]
      if (replaces !== null && replaces !== draft.name) settings.put(['providers', replaces], undefined)
      settings.put(['providers', draft.name], {
        ...keepAuth(settingOf(draft), before),
        ...(before?.models && { models: before.models }),
      })
      await provider.open(draft.name).secret.ready
      if (key) await keepKey(draft.name, key)
      return view()
    }),
    remove: os.models.remove.handler(async ({ input }) => {
      if (settings.read().providers[input.profile] === undefined)
        throw new WireError('NOT_FOUND', `There is no profile ${input.profile} in the settings.`)
      await provider.open(input.profile).secret.clear()
      const isUsual = provider.profiles().usual.name === input.profile
      settings.put(['providers', input.profile], undefined)
      if (isUsual) settings.put(['default_provider'], undefined)
      return view()
    }),
    setKey: os.models.setKey.handler(async ({ input }) => {
      await keepKey(input.profile, input.key)
      return view()
    }),
    clearKey: os.models.clearKey.handler(async ({ input }) => {
      await provider.open(input.profile).secret.clear()
      return view()
    }),
    setModel: os.models.setModel.handler(async ({ input: { profile, model, draft } }) => {
      const { providers } = settings.read()
      // The built-in profile has its models in a setting of its own name, and stays as it is otherwise.
      if (providers[profile] === undefined)
        throw new WireError('REFUSED', `Save a profile of your own first: the models of ${profile} cannot be changed.`)
      for (const [key, value] of Object.entries(modelSetting(draft)))
        settings.put(['providers', profile, 'models', model, key], value ?? undefined)
      return view()
    }),
    choose: os.models.choose.handler(async ({ input: { usual, subagentModel, summaryModel, fallback } }) => {
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
    test: os.models.test.handler(async ({ input: { profile, model, key } }): Promise<ModelTest> => {
      const open = await openFor(profile, key)
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
    }),
    findLocal: os.models.findLocal.handler(async () => findLocalServers(AbortSignal.timeout(listMs))),
    forget: os.models.forget.handler(async ({ input }) => {
      provider.learned.forget(input.profile, input.model)
      return view()
    }),
  }
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
function keepAuth(next: ProviderSetting, before: ProviderSetting | undefined): ProviderSetting {
  const { key, command } = before?.auth ?? {}
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
