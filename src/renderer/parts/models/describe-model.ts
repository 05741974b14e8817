import type { ModelChoice } from '#shared/contract/views/app.ts'
import { formatPrice } from '#shared/text/format.ts'
import { modelStrings } from '../../strings/later/models.ts'

type Described = Pick<ModelChoice, 'price'>

/** Prices in and out, or that it costs nothing, or that nobody knows. */
export function describePrice({ price }: Described): string {
  if (!price) return modelStrings.unpriced
  if (isFree({ price })) return modelStrings.free
  return modelStrings.price(formatPrice(price.input), formatPrice(price.output))
}

function isFree({ price }: Described): boolean {
  return price != null && price.input + price.output + price.cacheRead + price.cacheWrite === 0
}
