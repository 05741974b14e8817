import type { ProfileDraft } from '#shared/contract/models.ts'
import type { PresetView, ProfileView } from '#shared/contract/views/models.ts'
import type { ProviderKind, SecretScheme, ThoughtMode } from '#shared/model/models/provider.ts'
import { profileFormStrings } from '../../strings/later/model-settings.ts'

const says = profileFormStrings.problem

/** Where a key comes from, as the form asks for it. `none`: no key, or the login of a cloud's own command line. */
export type KeyPlace = 'typed' | 'env' | 'command' | 'none'

/** What a person has typed. Empty texts and `usual` leave it to the preset. */
export interface ProfileForm {
  /** Null for another server. */
  readonly preset: string | null
  readonly name: string
  readonly kind: ProviderKind
  readonly address: string
  readonly place: KeyPlace
  readonly env: string
  readonly command: string
  readonly scheme: SecretScheme | 'usual'
  readonly region: string
  readonly project: string
  readonly resource: string
  readonly concurrency: string
  /** One header a line. */
  readonly headers: string
  readonly thoughts: ThoughtMode | 'usual'
}

type ProfileField = Exclude<keyof ProfileForm, 'preset' | 'kind' | 'place' | 'scheme' | 'thoughts'>
export type ProfileProblems = Readonly<Partial<Record<ProfileField, string>>>

const empty: ProfileForm = {
  ...{ preset: null, name: '', kind: 'anthropic', address: '', place: 'typed', env: '', command: '', scheme: 'usual' },
  ...{ region: '', project: '', resource: '', concurrency: '', headers: '', thoughts: 'usual' },
}

/** The form of a new profile for a preset, or for another server. Its name is free. */
export function newProfile(preset: PresetView | null, taken: ReadonlySet<string>): ProfileForm {
  if (!preset) return empty
  const place = preset.scheme === 'none' ? 'none' : 'typed'
  return { ...empty, preset: preset.id, name: freeName(preset.id, taken), kind: preset.kind, place }
}

/** A name that no profile has: the wanted one, or the first with a number behind it. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted
  for (let count = 2; ; count += 1) if (!taken.has(`${wanted}-${count}`)) return `${wanted}-${count}`
}

/** The form of a profile that is there. */
export function formOf({ name, kind, preset, scheme, own }: ProfileView): ProfileForm {
  return {
    ...{ preset, name, kind: own.kind ?? kind, address: own.address ?? '' },
    place: scheme === 'none' ? 'none' : own.env !== undefined ? 'env' : own.command !== undefined ? 'command' : 'typed',
    ...{ env: own.env ?? '', command: own.command ?? '', scheme: own.scheme ?? 'usual' },
    ...{ region: own.region ?? '', project: own.project ?? '', resource: own.resource ?? '' },
    concurrency: own.concurrency === undefined ? '' : String(own.concurrency),
    headers: Object.entries(own.headers ?? {})
      .map(([header, value]) => `${header}: ${value}`)
      .join('\n'),
    thoughts: own.thoughts ?? 'usual',
  }
}

interface Known {
  /** The preset of the form; undefined for another server. */
  readonly preset: PresetView | undefined
  /** Names of the other profiles. */
  readonly taken: ReadonlySet<string>
}

type DraftResult = { readonly draft: ProfileDraft } | { readonly problems: ProfileProblems }

/** What is saved, or what is wrong with it, field by field. */
export function draftOf(form: ProfileForm, { preset, taken }: Known): DraftResult {
  const headers = readHeaders(form.headers)
  const problems = withoutGaps({
    name: nameProblem(form.name.trim(), taken),
    address: addressProblem(form.address.trim(), form.kind, preset),
    env: form.place === 'env' ? variableProblem(form.env.trim()) : undefined,
    command: form.place === 'command' && form.command.trim() === '' ? says.noCommand : undefined,
    ...cloudProblems(form),
    concurrency: concurrencyProblem(form.concurrency.trim()),
    headers: headers.wrong === undefined ? undefined : says.header(headers.wrong),
  })
  if (Object.keys(problems).length > 0) return { problems }
  const isCloud = isCloudKind(form.kind)
  const draft = withoutGaps({
    name: form.name.trim(),
    preset: form.preset ?? undefined,
    kind: form.kind === preset?.kind ? undefined : form.kind,
    baseUrl: form.address.trim() || undefined,
    scheme: schemeOf(form, preset),
    env: form.place === 'env' ? form.env.trim() : undefined,
    command: form.place === 'command' ? form.command.trim() : undefined,
    region: (isCloud && form.region.trim()) || undefined,
    project: (isCloud && form.project.trim()) || undefined,
    resource: (isCloud && form.resource.trim()) || undefined,
    concurrency: form.concurrency.trim() === '' ? undefined : Number(form.concurrency),
    headers: Object.keys(headers.read).length > 0 ? headers.read : undefined,
    thoughts: form.thoughts === 'usual' ? undefined : form.thoughts,
  })
  return { draft: { ...draft, name: form.name.trim() } }
}

export function isCloudKind(kind: ProviderKind): boolean {
  return kind === 'bedrock' || kind === 'vertex' || kind === 'foundry'
}

/** A server that wants no key gets one only by a header of its own. */
function schemeOf({ place, scheme, kind }: ProfileForm, preset: PresetView | undefined): SecretScheme | undefined {
  const usual = preset?.scheme ?? (kind === 'anthropic' ? 'x-api-key' : 'bearer')
  if (place === 'none') return preset?.scheme === 'none' ? undefined : 'none'
  if (scheme !== 'usual' && scheme !== 'none') return scheme
  if (usual !== 'none') return undefined
  return kind === 'anthropic' ? 'x-api-key' : 'bearer'
}

function nameProblem(name: string, taken: ReadonlySet<string>): string | undefined {
  if (name === '') return says.noName
  if (name === 'demo') return says.demo
  if (!/^[A-Za-z0-9][\w.-]{0,59}$/.test(name)) return says.badName
  return taken.has(name) ? says.taken(name) : undefined
}

function addressProblem(text: string, kind: ProviderKind, preset: PresetView | undefined): string | undefined {
  if (text === '') return preset?.address || isCloudKind(kind) ? undefined : says.noAddress
  return /^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text) ? undefined : says.badAddress
}

function variableProblem(text: string): string | undefined {
  if (text === '') return says.noVariable
  return /^[A-Za-z_]\w*$/.test(text) ? undefined : says.badVariable
}

function cloudProblems({ kind, region, project, resource, address }: ProfileForm) {
  const needsRegion = kind === 'bedrock' || kind === 'vertex'
  return {
    region: needsRegion && region.trim() === '' ? says.missing : undefined,
    project: kind === 'vertex' && project.trim() === '' ? says.missing : undefined,
    resource: kind === 'foundry' && resource.trim() === '' && address.trim() === '' ? says.resource : undefined,
  }
}

function concurrencyProblem(text: string): string | undefined {
  if (text === '') return undefined
  return /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 1000 ? undefined : says.concurrency
}

/** The headers of a text, and the first line that is none. */
function readHeaders(text: string): { readonly read: Readonly<Record<string, string>>; readonly wrong?: string } {
  const read: Record<string, string> = {}
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue
    const [, header, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(line) ?? []
    if (header === undefined || value === undefined) return { read, wrong: line }
    read[header] = value
  }
  return { read }
}

function withoutGaps<Value extends object>(value: Value): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [Key in keyof Value]?: Exclude<Value[Key], undefined>
  }
}
