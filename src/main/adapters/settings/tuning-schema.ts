import { z } from 'zod'
import { programMoments, stageNames } from '#shared/model/settings.ts'

const stageName = z.enum(stageNames)
const modes = ['plan', 'ask', 'auto-edit', 'auto'] as const
const builtIn = z.strictObject({
  stage: stageName,
  enabled: z.boolean().optional(),
  tokens: z.int().min(100).max(10_000_000).optional(),
  share: z.number().min(0.1).max(1).optional(),
  mode: z.enum(modes).optional(),
})
const program = z.strictObject({
  command: z.union([z.string().min(1), z.array(z.string()).min(1)]),
  name: z.string().min(1).max(60).optional(),
  on: z.array(z.enum(programMoments)).min(1),
  timeout_ms: z.int().min(1).max(600_000).default(10_000),
})

/** An ordered list of stages: a name, a stage with its values, or a program of one's own. */
const middleware = z.array(z.union([stageName, builtIn, program])).max(50)

/** The keys that tune an agent, the same in the settings and in a definition of an agent. */
export const tuningShape = {
  instructions: z.string().min(1).nullable().meta({
    description: 'Replaces the role of an agent, but not what it is told about the overlay. Null keeps the role.',
    default: null,
  }),
  prompt_template: z
    .string()
    .refine((text) => text.includes('{task}'), 'It needs {task}, the place of the task.')
    .nullable()
    .meta({ description: "The wording of a subagent's task, with `{task}` in its place.", default: null }),
  examples: z
    .array(z.object({ input: z.string(), output: z.string() }))
    .max(50)
    .meta({
      description: 'Questions and their answers (`input`, `output`), shown before the agent works.',
      default: [],
    }),
  final_instructions: z.string().min(1).nullable().meta({
    description: 'Comes after everything else in the prompt.',
    default: null,
  }),
  custom_tool_descriptions: z.record(z.string(), z.string().min(1)).meta({
    description: 'Descriptions that replace those of tools, by the name of the tool.',
    default: {},
  }),
  temperature: z.number().min(0).max(2).nullable().meta({
    description: "How freely the model chooses its words. Null is the model's own default.",
    default: null,
  }),
  top_p: z.number().gt(0).max(1).nullable().meta({
    description:
      "From how much of the probability the model chooses its words. Left out for a model that takes none. Null is the model's own default.",
    default: null,
  }),
  top_k: z.int().min(1).max(10_000).nullable().meta({
    description:
      "From how many tokens the model chooses the next one. Left out for a model that takes none. Null is the model's own default.",
    default: null,
  }),
  middleware: middleware.meta({
    description: `The stages of an agent, in their order: a name, a stage with its values (\`enabled\`, \`tokens\`, \`share\`, \`mode\`), or a program (\`command\`) that speaks lines of JSON. A stage that is missing keeps its place. Stages: ${stageNames.join(', ')}.`,
    default: [],
  }),
} as const

/** The keys that tune an agent, as read. */
export type GivenTuning = {
  readonly [Key in keyof typeof tuningShape]?: z.infer<(typeof tuningShape)[Key]> | undefined
}
