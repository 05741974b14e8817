import type { InputCheck } from '#shared/contract/views/threads.ts'

const kinds: Record<InputCheck['kind'], string> = { json: 'JSON', csv: 'Table', text: 'Text', pdf: 'PDF' }

/** Files that go with a message. */
export const attachmentStrings = {
  add: 'Add to the message',
  attach: 'Attach files…',
  attachHint: 'JSON, CSV, text, PDF or images. You can also paste or drop them.',
  list: 'Attached files',
  kind: kinds,
  imageKind: 'Image',
  skillAsked: (name: string) => `Skill ${name}`,
  commandAsked: (name: string) => `Command /${name}`,
  reading: (name: string) => `Reading ${name}…`,
  remove: (name: string) => `Remove ${name}`,
  drop: 'Drop files to attach them',
  imageTooLarge: (name: string) => ({
    message: `${name}: The image is larger than 3.75 MB.`,
    nextStep: 'Scale it down and attach it again.',
  }),
  tooLarge: (name: string) => ({
    message: `${name}: Attached files may have 20 MB together.`,
    nextStep: 'Put large files into the project folder and name them with @.',
  }),
  unreadable: (name: string) => ({
    message: `${name} cannot be read.`,
    nextStep: 'Attach files, not folders, and check that you may read them.',
  }),
  lost: (names: readonly string[]) => ({
    message: `${names.join(', ')}: not attached any more, because newer drafts needed the room.`,
    nextStep: 'Attach again what the message still needs.',
  }),
  notKept: {
    message: 'The browser has no room to keep the attached files.',
    nextStep: 'Send the message before you close or reload this page.',
  },
  notAttached: 'The file was not attached. Everything else is kept.',
  given: 'Input files',
} as const
