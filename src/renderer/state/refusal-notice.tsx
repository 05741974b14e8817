import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Refusal } from './refusal.ts'
import { strings } from './strings.ts'

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
