import { createPace } from '#adapters/pace.ts'
import { proposalProblem } from '#core/agent/delegation/propose-resolution.ts'
import { unwrap } from '#core/commands/command.ts'
import { findComposition, readComposition } from '#core/commands/compose/composition.ts'
import { planComposition, storeComposition } from '#core/commands/compose/store-composition.ts'
import { listChanges, nodeText } from '#overlay'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { HostParts } from '../../app/host-parts.ts'
import type { Implementer, InputOf } from '../../app/implementer.ts'
import { exportPatch, packPatch } from '../../changes/export-patch.ts'
import { requireStored } from '../../models/provider.ts'
import { requireStart } from '../../threads/require-start.ts'
import { checkComposition } from './check-composition.ts'
import { headingOf } from './hunk-headings.ts'
import { viewComposition, viewFile } from './read-composition.ts'

/** A person composes one tree of what several branches made. */
export function compositionHandlers(os: Implementer, parts: HostParts) {
  const { projects, options } = parts
  return {
    read: os.compositions.read.handler(({ input }) => viewComposition(projects.get(input.projectId), input)),
    file: os.compositions.file.handler(({ input }) => viewFile(projects.get(input.projectId), input, input.path)),
    preview: os.compositions.preview.handler(async ({ input }) => {
      const { services } = projects.get(input.projectId)
      const { tree, found } = unwrap(await planComposition(services, input, createPace()))
      const { base, blobs, textMerge } = services
      return listChanges({ base, blobs, textMerge, from: found.onto, to: tree })
    }),
    exportPatch: os.compositions.exportPatch.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const { tree, found, origins } = unwrap(await planComposition(project.services, input, createPace()))
      const paths = origins.map(({ path }) => path)
      const ground = { from: found.fork, heading: headingOf(origins, found.sources) }
      return packPatch(await exportPatch(project, tree, paths, ground))
    }),
    checks: os.compositions.checks.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const { tree } = unwrap(await planComposition(project.services, input, createPace()))
      return project.checks.runs.ofTree(input.into, tree, 'merge')
    }),
    runChecks: os.compositions.runChecks.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      if (project.checks.runs.definitions().length === 0)
        throw new WireError('REFUSED', 'No checks are set for this project. Accept proposals, or add some in settings.')
      checkComposition(project, input, input, new AbortController().signal).catch((error: unknown) => {
        if (!(error instanceof Error) || error.name !== 'AbortError') options.log('A check failed to run', error)
      })
    }),
    store: os.compositions.store.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      const { answer, sequence } = run(await storeComposition(services, input, createPace()))
      return { result: answer, sequence }
    }),
    askToJoin: os.compositions.askToJoin.handler(({ input }) => askToJoin(parts, input)),
  }
}

/** Starts an agent that proposes a text for a file of several versions. Refused where an agent cannot join them. */
async function askToJoin(
  { projects, provider }: HostParts,
  input: InputOf<Implementer['compositions']['askToJoin']>,
): Promise<{ readonly threadId: ThreadId }> {
  const project = projects.get(input.projectId)
  const { services } = project
  const found = unwrap(findComposition(services, input))
  const { model } = project.requireActive(found.into.threadId)
  requireStored(provider, model)
  await requireStart(project, model)
  const files = await readComposition(services, found, createPace())
  const file = files.find(({ path }) => path === input.path)
  if (!file) throw new WireError('NOT_FOUND', `No branch changed ${input.path}.`)
  const own = found.sources.length - 1
  const versions = file.versions
    .filter(({ source }) => source !== own)
    .map(({ source, nodes: [node = null] }) => ({
      name: found.sources[source]?.branch.name ?? '',
      text: node === null ? null : (nodeText(services.blobs, node) ?? null),
    }))
  const texts = versions.flatMap(({ name, text }) => (text === null ? [] : [{ name, text }]))
  const [first] = file.versions.filter(({ source }) => source !== own)
  const branch = found.sources[first?.source ?? 0]?.branch
  if (!branch || texts.length < versions.length || file.paths.length > 1)
    throw new WireError('REFUSED', `An agent can only join texts. Choose one version of ${input.path} by hand.`)
  const [old = null] = file.base
  const conflict = {
    path: input.path,
    base: old === null ? null : (nodeText(services.blobs, old) ?? null),
    versions: texts,
  }
  const problem = proposalProblem(conflict)
  if (problem !== null) throw new WireError('REFUSED', problem)
  return { threadId: project.runtime.proposeResolution({ branch, into: found.into.id }, conflict) }
}
