import { proposeRules } from '#core/approval/propose-rules.ts'
import { readThread } from '#core/journal/read-thread.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { callSubject, effectsProposals, previewRules, requireRules, whyItStillAsks } from '../settings/rules.ts'
import { previewWaitingCall } from './preview-call.ts'

export function approvalHandlers(os: Implementer, { projects }: HostParts) {
  return {
    decide: os.approvals.decide.handler(async ({ input }) => {
      const { runtime, requireActive, services } = projects.get(input.projectId)
      requireActive(input.threadId)
      // After a restart the decision starts the run again, which goes on in steps if it did before.
      const { log } = services
      const step = readThread(log, log.rootOf(input.threadId) ?? input.threadId)?.stepping ?? false
      runtime.decide(input.threadId, input.interruptId, input.decisions, { step })
    }),
    preview: os.approvals.preview.handler(({ input: { projectId, threadId, callId, args }, signal }) =>
      previewWaitingCall(projects.get(projectId), { threadId, callId, args }, signal),
    ),
    proposeRules: os.approvals.proposeRules.handler(async ({ input }) => {
      const { services } = projects.get(input.projectId)
      const subject = callSubject(services, input.threadId, input.callId)
      const proposals = [...effectsProposals(services, input.threadId, input.callId), ...proposeRules(subject)]
      return { proposals, note: whyItStillAsks(services, subject, proposals[0] ?? []) }
    }),
    previewRules: os.approvals.previewRules.handler(async ({ input }) => {
      requireRules(input.rules, 'allow')
      return previewRules(projects.get(input.projectId).services, input.rules)
    }),
  }
}
