import type { ModelDraft } from '#shared/contract/models.ts'
import type { ModelChoice } from '#shared/contract/views/app.ts'
import type { Effort, ThinkingKind } from '#shared/model/models/model-facts.ts'
import { modelFormStrings } from '../../strings/later/model-settings.ts'

const says = modelFormStrings.problem

/** What a person has typed of one model. Empty texts are unknown. */
export interface ModelForm {
  readonly name: string
  readonly context: string
  readonly maxOutput: string
  readonly input: string
  readonly output: string
  readonly cacheRead: string
  readonly cacheWrite: string
  readonly tools: boolean
  readonly images: boolean
  readonly thinking: ThinkingKind
  readonly efforts: readonly Effort[]
}

type ModelField = 'context' | 'maxOutput' | 'input' | 'output' | 'cacheRead' | 'cacheWrite'
export type ModelProblems = Readonly<Partial<Record<ModelField, string>>>

/** The form with what is known of the model. */
export function modelFormOf({ name, contextWindow, maxOutput, price, can }: ModelChoice): ModelForm {
  const dollars = (amount: number | undefined): string => (amount === undefined ? '' : String(amount))
  return {
    name,
    context: String(contextWindow),
    maxOutput: maxOutput == null ? '' : String(maxOutput),
    ...{ input: dollars(price?.input), output: dollars(price?.output) },
    ...{ cacheRead: dollars(price?.cacheRead), cacheWrite: dollars(price?.cacheWrite) },
    ...{ tools: can?.tools ?? true, images: can?.images ?? true, thinking: can?.thinking ?? 'none' },
    efforts: can?.efforts ?? [],
  }
}

/** Takes away everything that a person said of a model. */
export const emptyModelDraft: ModelDraft = {
  ...{ name: null, context: null, maxOutput: null, prices: null, tools: null, images: null, thinking: null },
  efforts: null,
}

type DraftResult = { readonly draft: ModelDraft } | { readonly problems: ModelProblems }

/** Only what differs from what is known, so that the rest follows the app and the server. Or what is wrong, by field. */
export function modelDraftOf(form: ModelForm, known: ModelForm): DraftResult {
  const problems = problemsOf(form)
  if (Object.keys(problems).length > 0) return { problems }
  const isChanged = (...fields: readonly (keyof ModelForm)[]): boolean =>
    fields.some((field) => String(form[field]).trim() !== String(known[field]).trim())
  return {
    draft: {
      ...(isChanged('name') && { name: form.name.trim() || null }),
      ...(isChanged('context') && { context: Number(form.context) }),
      ...(isChanged('maxOutput') && { maxOutput: form.maxOutput.trim() === '' ? null : Number(form.maxOutput) }),
      ...(isChanged('input', 'output', 'cacheRead', 'cacheWrite') && { prices: pricesOf(form) }),
      ...(isChanged('tools') && { tools: form.tools }),
      ...(isChanged('images') && { images: form.images }),
      ...(isChanged('thinking') && { thinking: form.thinking }),
      ...(isChanged('efforts') && { efforts: [...form.efforts] }),
    },
  }
}

function pricesOf({ input, output, cacheRead, cacheWrite }: ModelForm): ModelDraft['prices'] {
  if (input.trim() === '') return null
  return {
    ...{ input: Number(input), output: Number(output) },
    ...(cacheRead.trim() !== '' && { cacheRead: Number(cacheRead) }),
    ...(cacheWrite.trim() !== '' && { cacheWrite: Number(cacheWrite) }),
  }
}

function problemsOf(form: ModelForm): ModelProblems {
  const problems: Partial<Record<ModelField, string>> = {}
  if (!isCount(form.context, 256)) problems.context = says.context
  if (form.maxOutput.trim() !== '' && !isCount(form.maxOutput, 1)) problems.maxOutput = says.maxOutput
  for (const field of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) {
    if (form[field].trim() !== '' && !isPrice(form[field])) problems[field] = says.price
  }
  const isCached = form.cacheRead.trim() !== '' || form.cacheWrite.trim() !== ''
  for (const [field, other] of [
    ['input', 'output'],
    ['output', 'input'],
  ] as const) {
    if (form[field].trim() === '' && (form[other].trim() !== '' || isCached)) problems[field] ??= says.bothPrices
  }
  return problems
}

const mostTokens = 100_000_000
const mostDollars = 10_000

function isCount(text: string, least: number): boolean {
  return /^\d{1,9}$/.test(text.trim()) && Number(text) >= least && Number(text) <= mostTokens
}

function isPrice(text: string): boolean {
  return /^\d{1,5}(\.\d+)?$/.test(text.trim()) && Number(text) <= mostDollars
}
