import { type AttemptsWish, type AttemptVariant, mostAttempts } from '#shared/model/calls/attempts.ts'
import { efforts } from '#shared/model/models/model-facts.ts'
import { nearestName } from '#shared/text/nearest-name.ts'
import { type CommandLine, choiceOf, numberOf, UsageError } from '../arguments.ts'
import { picks } from '../grammar/flags.ts'

const keys = ['model', 'agent', 'effort', 'hint'] as const

/** What a command line wants tried several times. Undefined without `--attempts`. Throws `UsageError`. */
export function wantedAttempts(line: CommandLine): AttemptsWish | undefined {
  const pick = choiceOf(line, 'pick', picks, undefined)
  const variants = line.texts('variant').map(readVariant)
  const checks = line.texts('check')
  const budget = budgetOf(line)
  if (line.text('attempts') === undefined) {
    const alone = [
      ...[variants.length > 0 && 'variant', pick !== undefined && 'pick'],
      ...[checks.length > 0 && 'check', budget !== undefined && 'budget'],
    ]
    const name = alone.find((one) => one !== false)
    if (name !== undefined) throw new UsageError(`--${name} is about --attempts N. Add it, or leave --${name} out.`)
    return undefined
  }
  const n = numberOf(line, 'attempts', { min: 2, max: mostAttempts }) ?? 2
  for (const name of ['step', 'replay', 'record', 'output-schema'])
    if (line.flag(name) || line.text(name) !== undefined)
      throw new UsageError(`--attempts tries the task with several agents at once, so it takes no --${name}.`)
  return {
    n,
    ...(variants.length > 0 && { variants }),
    ...(checks.length > 0 && { checks }),
    ...(budget !== undefined && { budget }),
  }
}

function budgetOf(line: CommandLine): number | undefined {
  const given = line.text('budget')
  if (given === undefined) return undefined
  const budget = Number(given.replace(/^\$/, ''))
  if (!(Number.isFinite(budget) && budget > 0))
    throw new UsageError(`--budget takes an amount in US dollars above 0, such as 1.50, not "${given}".`)
  return budget
}

/** `model=…,effort=…,agent=…,hint=…`, in any order. Only the text of a hint may hold commas. */
function readVariant(given: string): AttemptVariant {
  const variant: Record<string, string> = {}
  for (const part of given.split(new RegExp(`,(?=\\s*(?:${keys.join('|')})=)`))) {
    const [, key = '', value = ''] = /^\s*([^=]*?)\s*=\s*([\s\S]*?)\s*$/.exec(part) ?? [undefined, part.trim()]
    if (!keys.some((one) => one === key)) throw new UsageError(unknownKey(given, key))
    if (key !== 'hint') refuseMore(given, value)
    if (value === '') throw new UsageError(`--variant ${given}: ${key} needs a value.`)
    if (variant[key] !== undefined) throw new UsageError(`--variant ${given}: ${key} stands there twice.`)
    variant[key] = value
  }
  const { model, agent, effort, hint } = variant
  const level = efforts.find((one) => one === effort)
  if (effort !== undefined && level === undefined)
    throw new UsageError(`--variant ${given}: effort is one of ${efforts.join(', ')}, not "${effort}".`)
  return {
    ...(model !== undefined && { model }),
    ...(agent !== undefined && { agent }),
    ...(level !== undefined && { effort: level }),
    ...(hint !== undefined && { hint }),
  }
}

/** A comma in a value that takes none stands before a key that is unknown. */
function refuseMore(given: string, value: string): void {
  const more = value.split(',').slice(1)
  if (more.length > 0) throw new UsageError(unknownKey(given, more[0]?.split('=')[0]?.trim() ?? ''))
}

function unknownKey(given: string, key: string): string {
  const nearest = nearestName(key, keys)
  return `--variant ${given}: "${key}" is no part of a variant. ${nearest ? `Did you mean "${nearest}"? ` : ''}It takes ${keys.map((one) => `${one}=…`).join(', ')}.`
}
