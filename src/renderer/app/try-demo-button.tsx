import type { ReactNode } from 'react'
import { useCommand, useSession } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'

export function TryDemoButton(): ReactNode {
  const session = useSession()
  const opening = useCommand()
  return (
    <Button disabled={opening.busy} onClick={() => void opening.run(() => session.openProject({ kind: 'demo' }))}>
      {strings.home.demo}
    </Button>
  )
}
