import { useState } from 'react'
import type { DeliveryReceipt, Published } from '#shared/contract/views/deliveries.ts'
import type { BranchId, ProjectId } from '#shared/model/ids.ts'
import { type Command, useClient } from '../../state/hooks/hooks.tsx'
import { deliveryStrings } from '../../strings/later/delivery.ts'
import { followProgram } from './follow-program.ts'

export interface PullRequestText {
  readonly title: string
  readonly body: string
  readonly draft: boolean
}

/** The push of what was delivered, and its pull request. */
export interface Publishing {
  /** How it ended. Null before, and meanwhile. */
  readonly published: Published | null
  /** What the programs print. */
  readonly pushOutput: string
  publish(pullRequest: PullRequestText | null): Promise<void>
  /** Stops the push that runs. Null while none does. */
  readonly stopPush: (() => void) | null
}

interface Target {
  readonly projectId: ProjectId
  readonly branchId: BranchId
}

export function usePublishing(target: Target, receipts: readonly DeliveryReceipt[], making: Command): Publishing {
  const { deliveries } = useClient()
  const [published, setPublished] = useState<Published | null>(null)
  const [pushOutput, setPushOutput] = useState('')
  const [pushing, setPushing] = useState<AbortController | null>(null)
  return {
    ...{ published, pushOutput },
    async publish(pullRequest) {
      const stopping = new AbortController()
      const { signal } = stopping
      setPushing(stopping)
      setPublished(null)
      setPushOutput('')
      await making.run(async () => {
        const wanted = { ...target, remote: null, pullRequest: pullRequest && { ...pullRequest, base: null } }
        try {
          for (const { sequence } of receipts) {
            const opening = deliveries.publish({ ...wanted, sequence }, { signal })
            setPublished(await followProgram(opening, { show: setPushOutput, signal }))
          }
        } catch (error) {
          if (!signal.aborted) throw error
          setPublished({ remote: '', output: '', problem: deliveryStrings.stopped, pullRequest: null })
        }
      })
      setPushing(null)
    },
    stopPush: pushing && (() => pushing.abort()),
  }
}
