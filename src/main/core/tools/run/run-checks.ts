import { z } from 'zod'
import type { Tree } from '#overlay'
import type { Result } from '#shared/base/result.ts'
import type { CheckMoment, CheckResult } from '#shared/model/check.ts'
import { tailOf } from '#shared/text/whole-characters.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { failedOutput, jsonOutput, type Tool } from '../tool.ts'

/** The project's checks as an agent uses them. */
export interface AgentChecks {
  /**
   * Results for a tree in the environment of the agent's branch. Null names mean all checks of that moment. Fails with a
   * message for the model. Throws the reason of an abort.
   */
  run(
    request: { readonly names: readonly string[] | null; readonly tree: Tree; readonly on: CheckMoment },
    signal: AbortSignal,
  ): Promise<Result<readonly CheckResult[], string>>
  /** The results of required checks that are not green. */
  listFailed(results: readonly CheckResult[]): readonly CheckResult[]
}

export const schema = z.object({
  names: z.array(z.string().min(1)).min(1).optional().describe('Names of checks; all when left out.'),
})

/** `run_checks`: what the project's checks say about the caller's files as they are now. */
export function createRunChecksTool(checks: AgentChecks): Tool<z.infer<typeof schema>> {
  return {
    ...toolFacts.run_checks,
    description:
      "Runs the project's checks, such as its tests, on your files as they are now, and returns each as green, red or flaky with its exit code and output. What a check changes is dropped. Nothing needs approval, and a result that is known for exactly these files is returned at once.",
    schema,
    async run({ names }, { branch, signal }) {
      const results = await checks.run({ names: names ?? null, tree: branch.tree, on: 'branch' }, signal)
      return results.ok ? jsonOutput({ checks: results.value.map(checkRecord) }) : failedOutput(results.error)
    },
  }
}

/** Characters of an output that an agent reads: the last ones, because the end says what failed. */
const mostShown = 6_000

/** A result as agents read it. */
export function checkRecord({ check, outcome, exitCode, output, note }: CheckResult) {
  const shown = output.length > mostShown ? `… ${tailOf(output, mostShown)}` : output
  return { name: check, status: outcome, exit_code: exitCode, output: shown.trimEnd(), ...(note !== '' && { note }) }
}
