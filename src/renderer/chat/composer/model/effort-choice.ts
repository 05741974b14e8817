import type { ModelChoice } from '#shared/contract/views/app.ts'
import type { Effort, ModelAbilities } from '#shared/model/models/model-facts.ts'

/** How much a model thinks, as a person chose it. Null for as usual. */
export interface EffortChoice {
  readonly effort: Effort | null
  readonly thinking: boolean | null
}

export type Offered = Pick<ModelAbilities, 'efforts' | 'thinking'>

/** What a model, or an external agent, offers. Null while that is not known. */
export function offeredBy(model: Pick<ModelChoice, 'can' | 'efforts'> | undefined): Offered | null {
  return model?.can ?? (model?.efforts ? { efforts: model.efforts, thinking: 'none' } : null)
}

/** Whether there is something to choose for a model. One that always thinks still says so. */
export function offersEffort({ efforts, thinking }: Offered): boolean {
  return efforts.length > 0 || thinking !== 'none'
}

/** Whether a person can switch the model's thinking on and off. */
export function offersThinking({ thinking }: Pick<Offered, 'thinking'>): boolean {
  return thinking === 'optional' || thinking === 'adaptive'
}

/** The part of a choice that a model offers. The rest is as usual, and counts again with a model that offers it. */
export function chosenEffort({ effort, thinking }: EffortChoice, offered: Offered): EffortChoice {
  return {
    effort: effort !== null && offered.efforts.includes(effort) ? effort : null,
    thinking: offersThinking(offered) ? thinking : null,
  }
}
