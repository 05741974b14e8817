import { jsonFlag, pathFlag } from './flags.ts'
import { branchWord, flagOf, textFlag, threadWord, type VerbWords } from './words.ts'

const exits = {
  0: 'done',
  1: 'failed',
  2: 'wrong usage',
  3: 'something waits for a decision of yours, such as a conflict',
}
const named =
  'A branch is named by its handle (subagent_0), its name or its id; workspace is the branch of the thread itself.'
const choices = [
  pathFlag('ours', "the branch's version of a file that both sides changed; repeat it for more"),
  pathFlag('theirs', "the folder's version of such a file; repeat it for more"),
]

/** Verbs about folders on disk that stand for a branch. */
export const checkoutVerbs = [
  {
    name: 'checkout',
    summary: 'put a branch into a folder of its own, and take it back',
    about: [
      'Makes a worktree of your repository at a folder that is missing or empty. It stands on the commit with which the work began, and has the changes of the branch as uncommitted ones. Without a repository it is a folder with the files alone. Ignored files are not brought along.',
      'With --back, what was changed in the folder since then becomes a change of the branch, by a three-way merge, as far as git does not ignore it; commits there count with their files. While a file has two versions, nothing is taken until --ours or --theirs decides about it.',
      named,
    ],
    positionals: [threadWord, branchWord, { placeholder: 'DIR', kind: 'folder' }],
    required: 3,
    flags: [
      textFlag('branch', 'NAME', 'the branch of git to check out in it, made where it does not exist; default: none'),
      flagOf('back', 'take back what was changed in the folder'),
      flagOf('remove', 'take back, then remove the folder, unless something would be lost with it'),
      flagOf('force', 'with --remove: remove it whatever is lost'),
      ...choices,
      jsonFlag,
    ],
    examples: [
      { line: 'coppice checkout last workspace ../look', about: 'what the thread made, as a worktree' },
      {
        line: 'coppice checkout last subagent_0 ../fix --branch fix',
        about: 'a branch of an agent, on a branch of git',
      },
      { line: 'coppice checkout last workspace ../look --back', about: 'what you changed there' },
      { line: 'coppice checkout last workspace ../look --remove', about: 'take it back and clean up' },
    ],
    exits,
  },
  {
    name: 'open-branch',
    summary: 'open a branch in your editor',
    about: [
      'Opens the branch as a folder in your editor: the one under editor in the settings, a known one on your PATH, or $VISUAL or $EDITOR. While it is open, what you save becomes your own change of the branch, and what agents change on the branch comes to the folder.',
      'It ends when the editor does, or with Ctrl+C, and leaves no folder behind. What cannot be taken back at once stays there and is named.',
      `${named} Without a branch it is that of the thread.`,
    ],
    positionals: [threadWord, branchWord],
    required: 1,
    flags: [
      flagOf('print', 'start no editor: print the folder and leave it there, until --close'),
      textFlag('editor', 'NAME', 'a known editor (code, cursor, zed, idea …) or another program'),
      flagOf('close', 'take back what was saved, and remove the folder'),
      flagOf('force', 'with --close: remove it whatever is lost'),
      ...choices,
      jsonFlag,
    ],
    examples: [
      { line: 'coppice open-branch last', about: 'what the thread made' },
      { line: 'coppice open-branch last subagent_0 --editor zed', about: 'a branch of an agent' },
      {
        line: 'vim -p $(coppice open-branch last --print)/*.md; coppice open-branch last --close',
        about: 'in a script',
      },
    ],
    exits: { ...exits, 130: 'stopped before the folder was there' },
  },
] as const satisfies readonly VerbWords[]
