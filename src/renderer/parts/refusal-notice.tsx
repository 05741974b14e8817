import type { ReactNode } from 'react'
import type { Refusal } from '../state/connection/refusal.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Notice } from '../ui/controls/notice.tsx'

/** Shows why a command was not carried out and what to do next. */
export function RefusalNotice({
  refusal,
  onRetry,
}: {
  refusal: Refusal
  onRetry?: (() => void) | undefined
}): ReactNode {
  return (
    <Notice
      tone="error"
      title={refusal.message}
      detail={refusal.nextStep}
      actions={onRetry && <Button onClick={onRetry}>{strings.common.retry}</Button>}
    />
  )
}
