import type { ContextPart } from '#shared/contract/views/threads.ts'

export type ContextSegment = 'system' | 'tools' | 'memory' | 'messages' | 'results' | 'free'

const segmentOf: Readonly<Record<ContextPart['part'], Exclude<ContextSegment, 'free'>>> = {
  guidance: 'system',
  instructions: 'system',
  skills: 'system',
  memory: 'memory',
  user_memory: 'memory',
  tools: 'tools',
  messages: 'messages',
  results: 'results',
}

const order = ['system', 'tools', 'memory', 'messages', 'results'] as const

/**
 * The parts, each once. They are estimates, so they are brought to the whole that the provider counted. `total` is in
 * tokens.
 */
export function partsWithin(parts: readonly ContextPart[], total: number): readonly ContextPart[] {
  const sums = new Map<ContextPart['part'], number>()
  for (const { part, tokens } of parts) sums.set(part, (sums.get(part) ?? 0) + tokens)
  const estimated = parts.reduce((sum, { tokens }) => sum + tokens, 0)
  const scale = estimated === 0 ? 0 : total / estimated
  return [...sums].map(([part, tokens]) => ({ part, tokens: Math.round(tokens * scale) }))
}

/** The window of a model by what fills it. `free` is the rest of the window. */
export function segmentsOf(
  parts: readonly ContextPart[],
  contextWindow: number,
): readonly { readonly kind: ContextSegment; readonly tokens: number }[] {
  const sum = (some: readonly ContextPart[]): number => some.reduce((all, { tokens }) => all + tokens, 0)
  const used = order.map((kind) => ({ kind, tokens: sum(parts.filter(({ part }) => segmentOf[part] === kind)) }))
  return [...used, { kind: 'free', tokens: Math.max(contextWindow - sum(parts), 0) }]
}
