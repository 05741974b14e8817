import { z } from 'zod'
import { mostOptions, mostPreviewCharacters, previewKinds } from '#shared/tools/questions.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { type Tool, textOutput } from './tool.ts'

const option = z.union([
  z.string().min(1),
  z.object({
    label: z.string().min(1),
    detail: z.string().optional().describe('What it means, in a line.'),
    preview: z.string().max(mostPreviewCharacters).optional().describe('What it would look like.'),
    preview_as: z.enum(previewKinds).optional(),
  }),
])
const asked = {
  options: z.array(option).max(mostOptions).optional().describe('Answers to choose from; the user may also type one.'),
  multiple: z.boolean().optional().describe('True when several options can be chosen together.'),
}
const schema = z
  .object({
    question: z.string().min(1).optional().describe('One question, with what the user needs to decide.'),
    ...asked,
    questions: z
      .array(z.object({ question: z.string().min(1), ...asked }))
      .min(1)
      .max(8)
      .optional()
      .describe('Several questions that are answered together, in place of question.'),
  })
  .refine(({ question, questions }) => (question === undefined) !== (questions === undefined), {
    message: 'Give question, or a list of questions, and not both.',
    path: ['question'],
  })

/**
 * `ask_user`: the question is the interrupt, and the answer is its decision. The loop turns a `respond` decision into
 * the result. So `run` is reached only when the policy let the call through, which means that nobody was asked.
 */
export const askUserTool: Tool<z.infer<typeof schema>> = {
  ...toolFacts.ask_user,
  description:
    'Asks the user a question, or several together, and waits for the answer. Ask only what you cannot find out yourself.',
  schema,
  run: async () => textOutput('Nobody answered. Go on with your best judgement and say which assumption you made.'),
}
