import { z } from 'zod'
import { lastingVariable } from '#shared/model/setup.ts'

/** What a person accepted of what a project keeps for other tools. Null and an empty object want none. */
export const acceptedShape = {
  archive: z.string().trim().min(1).nullable().optional().meta({
    description:
      'A command that takes down what a branch set up. It runs once the branch is discarded, or its thread archived or deleted.',
  }),
  variables: z
    .record(z.string(), z.string())
    .refine((given) => Object.entries(given).every(([name, value]) => lastingVariable(name, value)), {
      error: 'A name is letters, digits and _; PATH, HOME and others that Coppice sets itself cannot be given.',
    })
    .optional()
    .meta({ description: 'Variables of every command of the project.' }),
}
