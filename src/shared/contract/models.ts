import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import { efforts, thinkingKinds } from '../model/models/model-facts.ts'
import { providerKinds, secretSchemes, thoughtModes } from '../model/models/provider.ts'
import { webAddress } from './primitives.ts'
import type { LocalServer, ModelsView, ModelTest } from './views/models.ts'

const name = z.string().trim().min(1).max(200)
const model = z.string().min(1).max(260)
const dollars = z.number().min(0).max(10_000)

/** The model of a thread and how it thinks. Null for as the settings say, absent for no change. */
export const modelOptions = {
  model: model.optional(),
  effort: z.enum(efforts).nullable().optional(),
  /** Whether a model thinks that can do without. */
  thinking: z.boolean().nullable().optional(),
  /** The mode of its own that an external agent works in. Null for the one that its definition or our mode asks for. */
  agentMode: z.string().min(1).max(200).nullable().optional(),
}

/** A profile as a person fills it in. What is absent is as the preset says. */
const profileDraft = z.object({
  /** Letters, digits, `-`, `_` and `.`. */
  name: z.string().trim().min(1).max(60),
  kind: z.enum(providerKinds).optional(),
  preset: name.optional(),
  baseUrl: webAddress.optional(),
  scheme: z.enum(secretSchemes).optional(),
  /** The variable that holds the key. */
  env: name.optional(),
  /** The command that prints the key. */
  command: z.string().trim().min(1).max(10_000).optional(),
  headers: z.record(z.string().max(200), z.string().max(10_000)).optional(),
  concurrency: z.int().min(1).max(1000).optional(),
  thoughts: z.enum(thoughtModes).optional(),
  region: name.optional(),
  project: name.optional(),
  resource: name.optional(),
})
export type ProfileDraft = z.infer<typeof profileDraft>

/** What a person says of one model. Null takes the setting away, absent leaves it. */
const modelDraft = z.object({
  name: name.nullable().optional(),
  context: z.int().min(256).max(100_000_000).nullable().optional(),
  maxOutput: z.int().min(1).max(100_000_000).nullable().optional(),
  prices: z
    .object({ input: dollars, output: dollars, cacheRead: dollars.optional(), cacheWrite: dollars.optional() })
    .nullable()
    .optional(),
  tools: z.boolean().nullable().optional(),
  images: z.boolean().nullable().optional(),
  thinking: z.enum(thinkingKinds).nullable().optional(),
  efforts: z.array(z.enum(efforts)).max(100).nullable().optional(),
})
export type ModelDraft = z.infer<typeof modelDraft>

/** A key that was typed. `consent`: the person agreed to a file where the system has no key store. */
const typedKey = z.object({
  key: z.string().min(1).max(16_384),
  remember: z.boolean(),
  consent: z.boolean().default(false),
})

const profile = z.object({ profile: name })

/** Profiles, their models and their keys. Keys go down and never come up. */
export const modelCommands = {
  get: oc.output(type<ModelsView>()),
  /**
   * Adds or changes a profile in the settings, and keeps its key when one is given. `replaces` is its name before; null
   * for a new one. Fails as `REFUSED` for a name that is taken, and for a profile that cannot be used.
   */
  save: oc
    .input(z.object({ draft: profileDraft, replaces: name.nullable(), key: typedKey.optional() }))
    .output(type<ModelsView>()),
  /** Takes a profile out of the settings, with its stored key. */
  remove: oc.input(profile).output(type<ModelsView>()),
  setKey: oc.input(profile.extend({ key: typedKey })).output(type<ModelsView>()),
  clearKey: oc.input(profile).output(type<ModelsView>()),
  /** Changes what the settings say of one model of a profile. */
  setModel: oc.input(profile.extend({ model, draft: modelDraft })).output(type<ModelsView>()),
  /** Which models are used where. Null for the usual one, absent for no change. */
  choose: oc
    .input(
      z.object({
        /** The profile of models that are named without one. */
        usual: name.nullable().optional(),
        subagentModel: model.nullable().optional(),
        summaryModel: model.nullable().optional(),
        fallback: z.array(model).max(10).optional(),
      }),
    )
    .output(type<ModelsView>()),
  /** Asks the profile's server for its models. Fails as `REFUSED` with the server's words. */
  list: oc.input(profile).output(type<ModelsView>()),
  /**
   * Asks a model for a short reply and for one tool call, and says what works. The profile is a saved one or a draft;
   * without a model, the profile's first. Costs as much as two short messages.
   */
  test: oc
    .input(
      z.object({
        profile: z.union([name, profileDraft]),
        /** The server's own name of it. */
        model: model.optional(),
        /** For a draft, or in place of the saved key. Kept nowhere. */
        key: z.string().min(1).max(16_384).optional(),
      }),
    )
    .output(type<ModelTest>()),
  /** Asks the usual addresses of servers on this machine for their models. Nothing else is asked. */
  findLocal: oc.output(type<readonly LocalServer[]>()),
  /** Forgets what a model's server refused, so that it is tried again. */
  forget: oc.input(profile.extend({ model })).output(type<ModelsView>()),
}
