import type { ModelChoice } from '#shared/contract/views/app.ts'

/** Models under one heading. */
export interface ModelGroup {
  /** Null for the models that were used last. */
  readonly title: string | null
  readonly models: readonly ModelChoice[]
  /** Further models that match and are not shown. */
  readonly more: number
}

/** A gateway lists thousands of models. Nobody reads more than these, and typing is quicker. */
const mostInGroup = 40

/**
 * The models that contain every word of the query, by who answers. Those whose name begins with the query come first.
 * Without a query, the ones that were used last stand above the others.
 */
export function findModels(
  models: readonly ModelChoice[],
  query: string,
  used: readonly string[],
): readonly ModelGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const last = words.length > 0 ? [] : used.flatMap((id) => models.find((model) => model.id === id) ?? [])
  const found = models.filter((model) => words.every((word) => textOf(model).includes(word)))
  const groups = [...Map.groupBy(found, groupOf)].map(([title, members]): ModelGroup => {
    const ranked = words.length === 0 ? members : ranking(members, query.trim().toLowerCase())
    return { title, models: ranked.slice(0, mostInGroup), more: Math.max(ranked.length - mostInGroup, 0) }
  })
  return last.length > 0 ? [{ title: null, models: last, more: 0 }, ...groups] : groups
}

/** Who answers, for people: the heading of a model's group. */
function groupOf({ provider, profile }: ModelChoice): string {
  return provider ?? profile ?? ''
}

const texts = new WeakMap<ModelChoice, string>()

function textOf(model: ModelChoice): string {
  const known = texts.get(model) ?? `${model.id} ${model.name} ${groupOf(model)}`.toLowerCase()
  texts.set(model, known)
  return known
}

function ranking(models: readonly ModelChoice[], start: string): readonly ModelChoice[] {
  const begins = ({ id, name }: ModelChoice): boolean =>
    name.toLowerCase().startsWith(start) || id.toLowerCase().startsWith(start) || id.toLowerCase().includes(`/${start}`)
  return [...models.filter(begins), ...models.filter((model) => !begins(model))]
}
