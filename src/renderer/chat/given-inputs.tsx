import { BookOpen, Braces, ChevronRight, FileInput, type LucideIcon, SquareSlash } from 'lucide-react'
import type { ReactNode } from 'react'
import type { CommandNote, InputNote, SkillNote } from '#shared/model/messages/message-notes.ts'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { reachable } from '../ui/react/elements.tsx'

interface GivenInputsProps {
  readonly inputs: readonly InputNote[]
  /** The JSON Schema of the answer, as text; null for none. */
  readonly answerSchema: string | null
  /** The skill that the agent was asked to follow; null for none. */
  readonly skill: SkillNote | null
  /** The command whose text the agent was given; null for none. */
  readonly command: CommandNote | null
}

/**
 * What came with a message: the skill or the command it asks for, where the agent finds each file and what it was told about it, and
 * the answer's schema.
 */
export function GivenInputs({ inputs, answerSchema, skill, command }: GivenInputsProps): ReactNode {
  if (inputs.length === 0 && answerSchema === null && skill === null && command === null) return null
  return (
    <ul aria-label={strings.attachments.given} className="mt-2 flex flex-col gap-1">
      {skill && (
        <Folded icon={BookOpen} name={strings.attachments.skillAsked(skill.name)} about="" detail={skill.file} />
      )}
      {command && (
        <Folded
          icon={SquareSlash}
          name={strings.attachments.commandAsked(command.name)}
          about={command.source}
          detail={command.text}
        />
      )}
      {inputs.map(({ path, about, detail }) => (
        <Folded key={path} icon={FileInput} name={path} about={about} detail={detail} />
      ))}
      {answerSchema !== null && (
        <Folded icon={Braces} name={strings.answers.asked} about="" detail={indent(answerSchema)} />
      )}
    </ul>
  )
}

function indent(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

interface FoldedProps {
  readonly icon: LucideIcon
  readonly name: string
  readonly about: string
  readonly detail: string
}

function Folded({ icon: Icon, name, about, detail }: FoldedProps): ReactNode {
  return (
    <li className="rounded-md border border-line bg-raised">
      <details className="group">
        <summary className="flex min-h-7 list-none items-center gap-1.5 px-2">
          <ChevronRight size={14} aria-hidden className="shrink-0 text-faint group-open:rotate-90" />
          <Icon size={14} aria-hidden className="shrink-0 text-muted" />
          <span className="min-w-0 truncate font-mono text-xs">
            <VisibleText text={name} />
          </span>
          <span className="ml-auto min-w-0 shrink-[2] truncate pl-2 text-muted text-xs tabular-nums">{about}</span>
        </summary>
        <pre
          {...reachable}
          className="max-h-60 overflow-auto whitespace-pre-wrap border-line border-t px-2 py-1.5 font-mono text-muted text-xs [overflow-wrap:anywhere]"
        >
          <VisibleText text={detail} />
        </pre>
      </details>
    </li>
  )
}
