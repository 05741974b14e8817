import type { ModelAbilities, ModelFacts } from '#shared/model/models/model-facts.ts'

const everything: ModelAbilities = {
  tools: true,
  images: true,
  thinking: 'adaptive',
  efforts: ['low', 'high'],
  caching: true,
  temperature: true,
  schemas: true,
}

export function factsOf(id: string, { can, ...facts }: TestFacts = {}): ModelFacts {
  return {
    ...{ id, name: id, context: 200_000, maxOutput: null, prices: null, longPrompt: null },
    ...facts,
    can: { ...everything, ...can },
  }
}

export type TestFacts = Partial<Omit<ModelFacts, 'can'>> & { readonly can?: Partial<ModelAbilities> }
