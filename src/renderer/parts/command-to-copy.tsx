import { Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import { strings } from '../strings/strings.ts'
import { IconButton } from '../ui/controls/button.tsx'
import { copyText } from './copy-text.ts'

interface CommandToCopyProps {
  readonly command: string
  /** What the command does. */
  readonly about: string
}

/** A command for the person's own terminal, with a button that copies it. */
export function CommandToCopy({ command, about }: CommandToCopyProps): ReactNode {
  return (
    <div>
      <p className="text-muted">{about}</p>
      <div className="mt-1 flex items-center gap-2 rounded-md border border-line bg-panel py-1 pr-1 pl-3">
        <code className="min-w-0 flex-1 text-xs [overflow-wrap:anywhere]">{command}</code>
        <IconButton label={strings.about.copyCommand} onClick={() => copyText(command)}>
          <Copy size={14} aria-hidden />
        </IconButton>
      </div>
    </div>
  )
}
