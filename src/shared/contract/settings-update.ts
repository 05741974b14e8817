import { z } from 'zod'
import { hostProblem } from '../base/reach/host-names.ts'
import { reachProblem } from '../base/reach/local-reach.ts'
import { grantProblem } from '../base/reach/registry-presets.ts'
import { commandApprovals } from '../model/settings.ts'
import { lastingVariable } from '../model/setup.ts'
import { approvalModes } from '../model/thread.ts'
import { budgetAmount, projectId, webAddress } from './primitives.ts'
import { budgetScopes } from './views/settings.ts'

/** A host, or a preset of a registry. */
const host = z
  .string()
  .max(300)
  .refine((text) => grantProblem(text) === null, { error: ({ input }) => grantProblem(String(input)) ?? '' })

/** A host with or without a port, as `web.private_hosts` of the file has it. */
const plainHost = z
  .string()
  .max(300)
  .refine((text) => hostProblem(text) === null, { error: ({ input }) => hostProblem(String(input)) ?? '' })

/** Hosts, and ports and sockets of this machine, as `localhost:5432` and `/run/docker.sock`. */
export const reachedNames = z
  .array(
    z
      .string()
      .max(300)
      .refine((text) => reachProblem(text) === null, { error: ({ input }) => reachProblem(String(input)) ?? '' }),
  )
  .min(1)
  .max(50)

/** The setup of a project. */
export const setupFields = {
  command: z.string().trim().min(1).max(10_000),
  inputs: z.array(z.string().trim().min(1).max(1000)).max(200),
  hosts: z.array(host).max(50),
}

/** A program of the person with its arguments, or an address. */
export const notifyTarget = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('command'), command: z.array(z.string().min(1).max(10_000)).min(1).max(200).readonly() }),
  z.object({ kind: z.literal('url'), url: z.url({ protocol: /^https?$/ }).max(2000) }),
])

/** What a person accepts of what a project keeps for other tools. */
export const acceptedFields = {
  archive: z.string().trim().min(1).max(10_000).nullable(),
  variables: z
    .record(z.string().max(100), z.string().max(4096))
    .refine(
      (given) => Object.entries(given).length <= 100 && Object.entries(given).every((one) => lastingVariable(...one)),
    ),
}

/** Changes of single settings of the user. What is absent stays as it is. */
export const settingsUpdate = z.object({
  model: z.string().min(1).max(200).optional(),
  baseUrl: webAddress.nullable().optional(),
  systemPrompt: z.string().max(100_000).nullable().optional(),
  maxIterations: z.int().min(1).max(10_000).optional(),
  environmentsMaxGb: z.number().min(0).max(100_000).optional(),
  maxSubagentDepth: z.int().min(0).max(10).optional(),
  /** US dollars by scope. Null removes the limit, `default` removes the setting, absent leaves it. */
  budgets: z.partialRecord(z.enum(budgetScopes), budgetAmount).optional(),
  approvalMode: z.enum(approvalModes).optional(),
  /** Null for as the mode says. */
  commandApproval: z.enum(commandApprovals).nullable().optional(),
  quarantine: z.enum(['strict', 'scoped', 'off']).optional(),
  /** What agents may do outside of projects. Absent members stay. */
  outward: z
    .object({
      fetchesPages: z.boolean(),
      /** Each as the settings file has it. */
      privateHosts: z.array(plainHost).max(200),
      keepAwake: z.boolean(),
      notify: notifyTarget.nullable(),
    })
    .partial()
    .optional(),
  /** What all commands of a project may reach from now on, added to what they may reach already. */
  grantHosts: z.object({ projectId, hosts: reachedNames }).optional(),
})
