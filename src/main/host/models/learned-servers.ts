import { sync as writeFileAtomic } from 'write-file-atomic'
import { z } from 'zod'
import { readBounded } from '#adapters/system/read-bounded.ts'
import type { ModelInfo } from '#core/ports/model-client.ts'
import type { Dialect } from '#core/ports/model-server.ts'
import type { AgentChoice } from '#core/ports/programs/external-agent.ts'
import { efforts } from '#shared/model/models/model-facts.ts'

const price = z.number().min(0)
const listed = z.object({
  id: z.string(),
  name: z.string(),
  contextWindow: z.number().positive().nullable().catch(null),
  maxOutput: z.number().positive().nullish().catch(null),
  prices: z.object({ input: price, output: price, cacheRead: price, cacheWrite: price }).nullish().catch(null),
  efforts: z.array(z.enum(efforts)).readonly().nullish().catch(null),
})
const tokens = z.int().positive().optional()
const limits = z.object({ context: tokens, maxOutput: tokens })
const server = z.object({
  address: z.string(),
  /** Parts that it refused, by model. */
  refused: z.record(z.string(), z.array(z.string()).catch([])).default({}),
  /** Tokens that it named as its limits, by model. */
  limits: z.record(z.string(), limits.catch({})).default({}),
  /** The models that it listed. */
  listed: z
    .array(listed.nullable().catch(null))
    .transform((all) => all.filter((one) => one !== null))
    .default([]),
  /** For an external agent: the modes that it offered. */
  modes: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .default([])
    .catch([]),
})
const file = z.object({ version: z.literal(1), profiles: z.record(z.string(), z.unknown()) })
type Server = z.infer<typeof server>

/** What the servers of profiles taught, kept over restarts. It is only ever a shortcut: all of it can be learned again. */
export interface LearnedServers {
  /** What a profile's server refuses. Forgotten when the profile gets another address. */
  dialect(profile: string, address: () => string): Dialect
  /** The models that the profile's server listed last; empty for none. */
  listed(profile: string, address: string): readonly ModelInfo[]
  keepList(profile: string, address: string, models: readonly ModelInfo[]): void
  /** The modes that an external agent offered last; empty for none. */
  modes(profile: string, address: string): readonly AgentChoice[]
  keepModes(profile: string, address: string, modes: readonly AgentChoice[]): void
  /** Parts of requests that the server refuses, by model. */
  refused(profile: string, address: string): Readonly<Record<string, readonly string[]>>
  /** Forgets the refusals and limits of one model, so that they are tried again. */
  forget(profile: string, model: string): void
}

/** `path`: the file that keeps it. One that cannot be read is started anew. */
export function openLearnedServers(path: string, onProblem: (error: unknown) => void): LearnedServers {
  const known = readServers(path)
  const save = () => {
    try {
      writeFileAtomic(path, `${JSON.stringify({ version: 1, profiles: Object.fromEntries(known) }, null, 2)}\n`, {
        mode: 0o600,
      })
    } catch (error) {
      onProblem(error)
    }
  }
  const serverOf = (profile: string, address: string): Server => {
    const before = known.get(profile)
    return before?.address === address ? before : { address, refused: {}, limits: {}, listed: [], modes: [] }
  }
  return {
    dialect: (profile, address) => ({
      refusedBy: (model) => new Set(ownValue(serverOf(profile, address()).refused, model) ?? []),
      learn(model, part) {
        const before = serverOf(profile, address())
        const parts = new Set([...(ownValue(before.refused, model) ?? []), part])
        known.set(profile, { ...before, refused: { ...before.refused, [model]: [...parts] } })
        save()
      },
      limitsOf: (model) => ownValue(serverOf(profile, address()).limits, model) ?? {},
      learnLimits(model, named) {
        const before = serverOf(profile, address())
        const own = { ...ownValue(before.limits, model), ...named }
        known.set(profile, { ...before, limits: { ...before.limits, [model]: own } })
        save()
      },
    }),
    listed: (profile, address) => serverOf(profile, address).listed,
    keepList(profile, address, models) {
      known.set(profile, { ...serverOf(profile, address), listed: models.map((model) => ({ ...model })) })
      save()
    },
    modes: (profile, address) => serverOf(profile, address).modes,
    keepModes(profile, address, modes) {
      known.set(profile, { ...serverOf(profile, address), modes: modes.map(({ id, name }) => ({ id, name })) })
      save()
    },
    refused: (profile, address) => serverOf(profile, address).refused,
    forget(profile, model) {
      const before = known.get(profile)
      if (!before) return
      const { [model]: _, ...refused } = before.refused
      const { [model]: __, ...limits } = before.limits
      known.set(profile, { ...before, refused, limits })
      save()
    },
  }
}

function ownValue<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

function readServers(path: string): Map<string, Server> {
  try {
    const { profiles } = file.parse(JSON.parse(readBounded(path).toString('utf8')))
    // What is wrong with one profile says nothing of the others.
    const read = Object.entries(profiles).map(([name, value]) => [name, server.safeParse(value).data] as const)
    return new Map(read.flatMap(([name, value]) => (value ? [[name, value]] : [])))
  } catch {
    return new Map()
  }
}
