import { chooseTree } from '#core/checks/choose-tree.ts'
import { noMergeChecks } from '#core/checks/green-queue.ts'
import { unknownCheck } from '#core/checks/project-checks.ts'
import { findBranch } from '#core/commands/branches.ts'
import { unwrap } from '#core/commands/command.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { concerns } from '#shared/model/settings.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import type { Project } from '../project/project.ts'
import { bisectHandlers } from './bisect-handlers.ts'
import { neededHandlers } from './needed-handlers.ts'

/** What a person does about checks. What runs is told by events; results are entries. */
export function checkHandlers(os: Implementer, parts: HostParts) {
  const { options, projects, settings } = parts
  async function problemsOf({ extensions }: Project): Promise<readonly string[]> {
    const ofProject = (await extensions.find()).settings.problems
      .filter(({ about = null }) => concerns({ about }, aboutChecks))
      .map(({ file, line, message }) => (message.includes(file) ? message : `${file}:${line ?? 1}: ${message}`))
    const own = settings.read().fileProblems.filter((problem) => concerns(problem, aboutChecks))
    return [...own.map(({ said }) => said), ...ofProject]
  }
  return {
    list: os.checks.list.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const problems = await problemsOf(project)
      const checks = project.checks.runs.definitions()
      return { checks, problems, proposals: await project.checks.proposals() }
    }),
    accept: os.checks.accept.handler(async ({ input }) => {
      const { rootFolder } = projects.get(input.projectId)
      if (rootFolder === null)
        throw new WireError('REFUSED', 'A workspace without a folder keeps no checks. Set them in your settings.')
      settings.saveChecks(rootFolder, input.checks)
    }),
    ofBranches: os.checks.ofBranches.handler(({ input }) =>
      projects.get(input.projectId).checks.runs.ofBranches(input.branchIds),
    ),
    ofTree: os.checks.ofTree.handler(({ input: { projectId, branchId, paths } }) => {
      const { services, checks } = projects.get(projectId)
      unwrap(findBranch(services, branchId))
      return checks.runs.ofTree(branchId, chooseTree(services.log.trees, branchId, paths), 'apply')
    }),
    run: os.checks.run.handler(async ({ input: { projectId, branchId, names, again } }) => {
      const { services, checks } = projects.get(projectId)
      unwrap(findBranch(services, branchId))
      const all = checks.runs.definitions()
      const unknown = names?.find((name) => !all.some((one) => one.name === name))
      if (unknown !== undefined) throw new WireError('NOT_FOUND', unknownCheck(unknown, all))
      if (all.length === 0)
        throw new WireError('REFUSED', 'No checks are set for this project. Accept proposals, or add some in settings.')
      const request = { branchId, tree: null, environmentOf: branchId, on: 'branch', names, again } as const
      checks.runs.run({ ...request, by: 'person' }, new AbortController().signal).catch((error: unknown) => {
        if (!(error instanceof Error) || error.name !== 'AbortError') options.log('A check failed to run', error)
      })
    }),
    cancel: os.checks.cancel.handler(async ({ input }) =>
      projects.get(input.projectId).checks.runs.cancel(input.branchId),
    ),
    result: os.checks.result.handler(async ({ input }) => {
      const result = projects.get(input.projectId).checks.runs.result(input.sequence)
      if (result === null) throw new WireError('NOT_FOUND', 'This entry is not the result of a check.')
      return result
    }),
    mergeGreen: os.checks.mergeGreen.handler(async ({ input }) => {
      const { services, checks } = projects.get(input.projectId)
      for (const id of input.branchIds) unwrap(findBranch(services, id))
      if (!checks.runs.definitions().some(({ on }) => on.includes('merge')))
        throw new WireError('REFUSED', noMergeChecks)
      checks.queue.add(input.branchIds)
    }),
    queue: os.checks.queue.handler(async ({ input }) => projects.get(input.projectId).checks.queue.view()),
    ...bisectHandlers(os, parts),
    ...neededHandlers(os, parts),
    cancelMerges: os.checks.cancelMerges.handler(async ({ input }) =>
      projects.get(input.projectId).checks.queue.cancel(input.branchIds),
    ),
  }
}

const aboutChecks = ['checks', 'checks_by_folder']
