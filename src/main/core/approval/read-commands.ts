import { type Command, type CommandArgument, forEachChild, type Redirection, type SyntaxNode } from 'unbash'
import { baseName, betweenNames, betweenWords, isKnown, textOf, textOfArgument, unknownText } from './command-words.ts'
import { lineLimits, parseLine } from './parse-line.ts'
import {
  assigns,
  holdsCode,
  isQuietFilter,
  kindOf,
  mayRunComputed,
  rulesCommands,
  withoutSubcommand,
} from './program-kinds.ts'

/** Commands that a line names with the same words: one for each place where a command may begin. */
export interface NamedCommand {
  /** The words, joined by `betweenWords`. `unknownText` stands for what the shell computes. */
  readonly text: string
  /** Positions in `text`. */
  readonly starts: readonly number[]
  /** The positions at which even a word that nobody knows may be a command. */
  readonly openStarts: readonly number[]
  /** False when the words may only be data of the program that gets them. */
  readonly isCertain: boolean
}

/** Words that are no command of the line, but that the program which gets them may run as one. */
export interface Mention {
  readonly words: readonly string[]
  /** The program's name, as for a sentence. */
  readonly by: string
}

export interface CommandReading {
  readonly commands: readonly NamedCommand[]
  readonly mentions: readonly Mention[]
  /** Why the line may run anything besides `commands`. Undefined when it cannot. */
  readonly unread?: string | undefined
  /** The same for a file of shell commands that the line names, which a rule may allow by its name. */
  readonly file?: string | undefined
}

/**
 * Everything that a line may run, read without running it: in conditions, in substitutions, after `sudo` or `env`, in
 * the text of `bash -c`. Words that other programs may run are mentions. What cannot be known is said, and never left
 * out. The work is bounded by the length of the line, because every text is read at most once for each level of its
 * nesting.
 */
export function readCommands(line: string): CommandReading {
  return new LineReader().read(line)
}

/** Where a text stands: how deep, and whether it surely runs. */
interface Place {
  readonly depth: number
  readonly isCertain: boolean
}

class LineReader {
  readonly #commands: NamedCommand[] = []
  readonly #mentions: Mention[] = []
  #unread: string | undefined
  #file: string | undefined
  #length = 0
  #nodes = 0
  /** Whether a variable of the line holds text that nobody knows, and whether some part of the line evaluates such. */
  #hasUnknownValue = false
  #evaluates = false

  read(line: string): CommandReading {
    this.#readText(line, { depth: 0, isCertain: true })
    if (this.#hasUnknownValue && this.#evaluates) this.#cannotRead('a computed text is evaluated as an expression')
    return { commands: this.#commands, mentions: this.#mentions, unread: this.#unread, file: this.#file }
  }

  #cannotRead(reason: string): void {
    this.#unread ??= reason
  }

  #readText(text: string, place: Place): void {
    this.#length += text.length
    const isBeyond = this.#length > lineLimits.length * lineLimits.depth || place.depth > lineLimits.depth
    const script = isBeyond ? null : parseLine(text)
    if (script === null) this.#cannotRead('it is too long or too deep to be read')
    else if (script.errors?.length) this.#cannotRead('it is not a complete line of a shell')
    if (script !== null) this.#readNodes(script, place)
  }

  #readNodes(root: SyntaxNode, place: Place): void {
    const waiting: SyntaxNode[] = [root]
    for (let node = waiting.pop(); node !== undefined && this.#nodes < lineLimits.nodes; node = waiting.pop()) {
      this.#nodes += 1
      this.#readNode(node, place)
      forEachChild(node, (child) => waiting.push(child))
    }
    if (this.#nodes >= lineLimits.nodes) this.#cannotRead('it has too many parts to be read')
  }

  #readNode(node: SyntaxNode, place: Place): void {
    switch (node.type) {
      case 'Command':
        this.#readCommand(node, place)
        break
      case 'Function':
        this.#hasUnknownValue = true
        break
      case 'Assignment': {
        const value = node.value.type === 'Word' ? textOf(node.value) : unknownText
        this.#readVariable(node.name)
        this.#mention(someProgram, node.value.type === 'Word' ? [node.value] : node.value.elements)
        if (!isKnown(value) || value.includes('[')) this.#hasUnknownValue = true
        break
      }
      case 'For':
      case 'Select':
        this.#readVariable(node.name.value)
        this.#mention(someProgram, node.wordlist ?? [])
        this.#hasUnknownValue = true
        break
      case 'Word': {
        // A text in quotes may be evaluated later, for example as an index.
        const text = textOf(node)
        if (/\$\(|`/.test(text)) this.#readText(text, { depth: place.depth + 1, isCertain: false })
        break
      }
      case 'ParameterExpansion': {
        const { parameter, prefix, index, operation } = node
        if (operation?.type === 'Default') {
          this.#readVariable(parameter)
          this.#hasUnknownValue = true
        }
        const indirect = prefix === '!' || index || operation?.type === 'Slice' || operation?.type === 'Transform'
        if (indirect) this.#evaluates = true
        break
      }
      case 'Redirected':
        this.#mentionTexts(someProgram, node.redirects.map(inputOf))
        break
      case 'ArithmeticExpansion':
      case 'ArithmeticCommand':
      case 'ArithmeticFor':
      case 'TestCommand':
        this.#evaluates = true
    }
  }

  #readVariable(name: string): void {
    if (rulesCommands(name)) this.#cannotRead(`it sets ${name}, which decides what runs`)
  }

  #readCommand({ name, args, redirects }: Command, place: Place): void {
    if (!name) return
    const words = [textOf(name), ...args.map(textOfArgument)]
    const inputs = redirects.flatMap((redirect) => inputOf(redirect) ?? [])
    this.#readWords(words, inputs, place)
    const [program = ''] = words
    if (assigns(baseName(program))) this.#readAssigned(words)
    if (kindOf(program) === 'text' || kindOf(program) === 'wrapper')
      for (const word of words) this.#readVariable(/^\w+(?==)/.exec(word)?.[0] ?? '')
    if (kindOf(program) !== 'quiet') this.#mentionTexts(program, inputs)
    const computed = args.filter((word) => !isKnown(textOfArgument(word)))
    if (mayRunWords(program, words[1])) this.#mention(program, computed)
  }

  #readAssigned(words: readonly string[]): void {
    this.#hasUnknownValue = true
    if (words.some((word) => !isKnown(word) || word === '-v' || word === '-i' || word === 'let')) this.#evaluates = true
    for (const word of words) this.#readVariable(/^\w+/.exec(word)?.[0] ?? '')
  }

  /** Reads the words of one command and of every command that they may wrap. */
  #readWords(words: readonly string[], inputs: readonly string[], place: Place): void {
    if (place.depth > lineLimits.depth) {
      this.#cannotRead('it is too long or too deep to be read')
      return
    }
    const [program = ''] = words
    const kind = kindOf(program)
    const wraps = (kind === 'wrapper' || kind === 'text') && !isLookUp(program, words[1])
    const all = words.some((word) => baseName(word) === 'xargs') ? withAppended(words) : words
    this.#add(all, wraps, place.isCertain)
    if (mayRunWords(program, words[1])) this.#mentionTexts(program, withoutSubcommand(program, all.slice(1)))
    // Whatever begins at a later word of the same kind is read with the first one.
    const seen = new Set<string>()
    for (const [index, word] of (wraps ? all : all.slice(0, 1)).entries()) {
      const name = baseName(word)
      const key = searcher.test(name) || filter.test(name) ? name : kindOf(word)
      if (!seen.has(key)) this.#readProgram(word, all.slice(index + 1), inputs, place)
      seen.add(key)
    }
  }

  #readProgram(program: string, words: readonly string[], inputs: readonly string[], place: Place): void {
    const name = baseName(program)
    if (searcher.test(name)) this.#readFind(words, place)
    else if (filter.test(name) && !isQuietFilter(name, words)) this.#cannotRead(`code for ${name} can run programs`)
    if (kindOf(program) !== 'quiet' && mayRunComputed(program, words))
      this.#cannotRead(`${name} may run a computed word`)
    switch (kindOf(program)) {
      case 'shell':
        this.#readShell(name, words, inputs, place)
        break
      case 'text':
        if (name === 'parallel' || name === 'ssh') this.#cannotRead(`${name} may read commands from its input`)
        this.#readTexts(name, name === 'eval' ? [words.join(' ')] : words.flatMap(textsOfOption), place)
        break
      case 'source':
        this.#file ??= `${name} runs a file, which is not read`
        break
      case 'interpreter':
        if (holdsCode(words)) this.#cannotRead(`code for ${name} is not read`)
        break
      case 'unread':
        this.#cannotRead(`${name} can run anything`)
    }
    if (name === 'hash' && words.includes('-p')) this.#cannotRead('hash -p gives a program another name')
  }

  /** A shell reads the text after `-c`, a file, or its input. */
  #readShell(name: string, words: readonly string[], inputs: readonly string[], place: Place): void {
    const hasText = words.some((word) => /^[-+][a-zA-Z]*c/.test(word))
    const takesInput = words.some((word) => /^-[a-z]*s/.test(word)) || words.every((word) => /^[-+]/.test(word))
    if (takesInput && inputs.length === 0) this.#cannotRead(`${name} reads commands from its input`)
    if (!hasText && !takesInput) this.#file ??= `${name} runs a file, which is not read`
    if (words.some((word) => /^--?(rcfile|init-file|login|[a-zA-Z]*[il])/.test(word)))
      this.#cannotRead(`${name} reads its start files`)
    const texts = words.filter((word) => !/^[-+]/.test(word))
    this.#readTexts(name, [...texts, ...(takesInput ? inputs : [])], place)
  }

  #readTexts(name: string, texts: readonly string[], { depth, isCertain }: Place): void {
    if (!texts.every(isKnown)) this.#cannotRead(`${name} gets a computed text`)
    for (const text of texts) this.#readText(text, { depth: depth + 1, isCertain })
  }

  /** `find` runs the words after `-exec` and its like, up to `;` or `+`. */
  #readFind(words: readonly string[], { depth, isCertain }: Place): void {
    if (!words.every(isKnown)) this.#cannotRead('find gets a computed expression')
    const below = { depth: depth + 1, isCertain }
    let run: string[] | null = null
    for (const word of words) {
      if (run === null) run = isExec(word) ? [] : null
      else if (word !== ';' && word !== '+') run.push(withoutBraces(word))
      else {
        this.#readWords(run, [], below)
        run = null
      }
    }
    if (run !== null) this.#readWords(run, [], below)
  }

  /** What the shell computes is named by its source. */
  #mention(program: string, words: readonly CommandArgument[]): void {
    const texts = words.flatMap((word) => {
      const text = textOfArgument(word)
      return isKnown(text) ? [text] : [text, word.text]
    })
    this.#mentionTexts(program, texts)
  }

  #mentionTexts(program: string, texts: readonly (string | undefined)[]): void {
    const words = texts.flatMap((text) => text?.split(betweenNames) ?? []).filter((word) => word !== '')
    if (words.length > 0) this.#mentions.push({ words, by: baseName(program) })
  }

  #add(words: readonly string[], wraps: boolean, isCertain: boolean): void {
    const starts: number[] = []
    const openStarts: number[] = []
    const isOpen = openWords()
    let at = 0
    for (const [index, word] of words.entries()) {
      if (index === 0 || wraps) {
        const folder = word.length - baseName(word).length
        // A value may follow an option without a space.
        const own = folder > 0 ? [at, at + folder] : [at]
        starts.push(...own, ...(/^-\w./.test(word) ? [at + 2] : []))
        if (isOpen(word) && isCertain) openStarts.push(...own)
      }
      at += word.length + 1
    }
    this.#commands.push({ text: words.join(betweenWords), starts, openStarts, isCertain })
  }
}

/** Tells for one word after the other whether the command that wrappers run may begin with it. */
function openWords(): (word: string) => boolean {
  let isOpen = true
  let spare = 1
  let followsOption = false
  return (word) => {
    const answer = isOpen
    if (['wrapper', 'text', 'shell', 'source'].includes(kindOf(word))) spare += takesNoOperand.test(word) ? 0 : 1
    else if (!followsOption && !/^-|^[\d.]+\w?$|^\w+=/.test(word)) spare -= 1
    // The next word may be the value of an option, unless that already has one: `-n1`, `--user=a`.
    followsOption = /^-/.test(word) && !/^-\w[^A-Za-z]|^--.*=/.test(word)
    isOpen = spare > 0
    return answer
  }
}

const takesNoOperand =
  /^(builtin|command|coproc|doas|env|eval|exec|ionice|nice|nohup|npx|setsid|stdbuf|strace|sudo|time|timeout|xargs)$/

const someProgram = 'a program of the line'

/** True for `command -v rm`, which runs nothing. */
function isLookUp(program: string, option = ''): boolean {
  return program === 'command' && /^-[pvV]*[vV]/.test(option)
}

/** False for a program that only reads its words as names and text, and for one whose words are read as commands. */
function mayRunWords(program: string, option: string | undefined): boolean {
  const name = baseName(program)
  const isRead = ['quiet', 'shell'].includes(kindOf(name)) || name === 'eval'
  return !isRead && !searcher.test(name) && !filter.test(name) && !isLookUp(program, option)
}

const searcher = /^g?find$/
const filter = /^(g?sed|[gmn]?awk)$/

function isExec(word: string): boolean {
  return /^-(exec|ok)(dir)?$/.test(word)
}

/** True for a word that a shell would not read as one word. */
function holdsText(word: string): boolean {
  return /[^\p{L}\p{N}_.+@%/:,=-]/u.test(word)
}

/** A text that a shell reads: a word of several, or the value of an option. */
function textsOfOption(word: string): readonly string[] {
  const value = /^-/.test(word) ? word.replace(/^(--[\w-]+=|-\w|--[\w-]+$)/, '') : ''
  return [...(holdsText(word) ? [word] : []), ...(value === '' ? [] : [value])]
}

/** `xargs` adds words that nobody knows. They are the command itself when only wrappers come before them. */
function withAppended(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => baseName(word) === 'xargs')
  const replaces = words.some((word) => /^(-[IiJ]|--replace)/.test(word))
  const named = words.slice(at + 1).map((word) => (replaces ? withoutBraces(word) : word))
  const option = words.findIndex((word) => word.startsWith('-I'))
  const mark = words[option]?.slice(2) || words[option + 1] || '{}'
  const marked = named.map((word) => (replaces && word.includes(mark) ? unknownText : word))
  const wraps = marked.some((word) => ['wrapper', 'text', 'shell', 'interpreter', 'source'].includes(kindOf(word)))
  const appended = wraps ? [unknownText] : []
  return [...words.slice(0, at + 1), ...(marked.length > 0 ? marked : ['echo']), ...appended]
}

/** Where `{}` stands for a name that nobody knows. */
function withoutBraces(word: string): string {
  return word.replaceAll('{}', unknownText)
}

/** The text that a redirection gives to a program. Undefined when it gives a file. */
function inputOf(redirect: Redirection): string | undefined {
  if (redirect.type === 'HereString') return redirect.target ? textOf(redirect.target) : ''
  if (redirect.type !== 'HereDoc') return undefined
  const { parts, text } = redirect.body
  const isLiteral = redirect.delimiter?.quoted === true || (parts ?? []).every(({ type }) => type === 'Literal')
  return isLiteral ? text : `${text} ${unknownText}`
}
