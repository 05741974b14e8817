import { z } from 'zod'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { type Tool, textOutput } from './tool.ts'

const schema = z.object({
  question: z.string().min(1).describe('One question, with what the user needs to decide.'),
  options: z
    .array(z.string().min(1))
    .max(20)
    .optional()
    .describe('Answers to choose from; the user may also type one.'),
})

/**
 * `ask_user`: the question is the interrupt, and the answer is its decision. The loop turns a `respond` decision into
 * the result. So `run` is reached only when the policy let the call through, which means that nobody was asked.
 */
export const askUserTool: Tool<z.infer<typeof schema>> = {
  ...toolFacts.ask_user,
  description: 'Asks the user one question and waits for the answer. Ask only what you cannot find out yourself.',
  schema,
  run: async () => textOutput('Nobody answered. Go on with your best judgement and say which assumption you made.'),
}
