/**
 * Bundle of the console's scripts and styles, built by esbuild, compressed, and cached in DATA_DIR by the hash of the sources.
 * The next start only reads it.
 */
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { PRIVATE } from '#kernel/folders.ts'
import { inEncodings, type Kept, keptAs } from '#kernel/http/kept.ts'
import { sha256 } from '#kernel/secrets/secrets.ts'

const root = join(import.meta.dirname, '../../..')
/** Files that determine a bundle: its sources and its build. */
const SOURCES = [
  'src/console/server/bundle.ts',
  'src/console/{client,screens}/**/*.{ts,tsx,css}',
  'src/{workspace,platform}/*/screen/**/*.{ts,tsx,css}',
  'packages/client/src/*.ts',
  'package-lock.json',
]

export interface Bundle {
  /** By name, which contains the hash of the content. */
  files: Map<string, Kept>
  script: string
  style: string
  /** Static imports of the script. */
  preload: string[]
  /** Script of the German texts, preloaded for users who read German. */
  german: string
  /** Additional imports of the sign-in pages. */
  signIn: string[]
  /** Imports of a module's custom file: `workspace/email/inbox`. */
  drawn: Record<string, string[]>
}
type Names = Omit<Bundle, 'files'>

const TYPES: Record<string, string> = { '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8' }
const NAMES = 'names.json'

/** Builds the bundle, or reads the cached one of the same sources. Throws where the build fails or is stopped. */
export async function bundleOf(dataDir: string, stopped: AbortSignal): Promise<Bundle> {
  const all = join(dataDir, 'console')
  const folder = join(all, keyOfSources())
  if (!isWhole(folder))
    await make(all, folder, stopped).catch((error) => {
      if (!isWhole(folder)) throw error // unless another process was faster
    })
  const names = JSON.parse(await readFile(join(folder, NAMES), 'utf8')) as Names
  const found = (await readdir(folder)).filter((name) => extname(name) in TYPES)
  const headers = { 'cache-control': 'public, max-age=31536000, immutable' }
  const files = found.map(async (name) => {
    const [identity, br, gzip] = await Promise.all(['', '.br', '.gz'].map((ending) => readFile(join(folder, name + ending))))
    return [name, keptAs({ identity: identity!, br: br!, gzip: gzip! }, TYPES[extname(name)]!, headers)] as const
  })
  return { ...names, files: new Map(await Promise.all(files)) }
}

/** The file of names is written last. */
const isWhole = (folder: string) => existsSync(join(folder, NAMES))

function keyOfSources(): string {
  const paths = globSync(SOURCES, { cwd: root }).sort()
  return sha256(paths.map((path) => `${path}\n${readFileSync(join(root, path), 'utf8')}`).join('\0'))
    .toString('hex')
    .slice(0, 16)
}

/**
 * Builds in a temporary folder and renames it, so that a bundle is always complete. Several processes, on several machines, may
 * build at once; the first one ready wins. Older bundles and unfinished builds are deleted.
 */
async function make(all: string, folder: string, stopped: AbortSignal) {
  await mkdir(all, { recursive: true, mode: PRIVATE })
  const outdir = await mkdtemp(`${folder}.`)
  const metafile = join(outdir, 'meta.json')
  try {
    const styles = join(outdir, 'styles.css')
    await writeFile(styles, stylesOfAll())
    const bundled = (given: string[]) => bundle([...given, `--outdir=${outdir}`], stopped)
    const both = await Promise.allSettled([
      bundled([ENTRY, styles, `--inject:${KIT}`, '--splitting', `--metafile=${metafile}`]),
      bundled([GERMAN]), // separately: the shared script waits for it
    ])
    for (const one of both) if (one.status === 'rejected') throw one.reason
    await rm(styles)
    const outputs = Object.entries((JSON.parse(await readFile(metafile, 'utf8')) as { outputs: Record<string, Output> }).outputs)
    const [script, { imports }] = outputs.find(([, { entryPoint }]) => entryPoint === ENTRY)!
    const [style] = outputs.find(([name, { entryPoint }]) => entryPoint !== undefined && extname(name) === '.css')!
    const names: Names = {
      script: basename(script),
      style: basename(style),
      german: (await readdir(outdir)).find((name) => name.startsWith('german-'))!,
      preload: staticOf(imports),
      drawn: Object.fromEntries(
        outputs.flatMap(([path, { entryPoint = '', imports }]) => {
          const [, surface, module, file] = DRAWN.exec(entryPoint) ?? []
          return file ? [[`${surface}/${module}/${file}`, [basename(path), ...staticOf(imports)]]] : []
        }),
      ),
      signIn: outputs.flatMap(([path, one]) => (one.entryPoint === SIGN_IN ? [basename(path), ...staticOf(one.imports)] : [])),
    }
    await rm(metafile)
    for (const name of await readdir(outdir)) {
      stopped.throwIfAborted()
      const { br, gzip } = await inEncodings(await readFile(join(outdir, name)))
      await Promise.all([writeFile(join(outdir, `${name}.br`), br), writeFile(join(outdir, `${name}.gz`), gzip)])
    }
    await writeFile(join(outdir, NAMES), JSON.stringify(names))
    await rename(outdir, folder).catch(async (error) => {
      if (isWhole(folder)) throw error
      await rm(folder, { recursive: true, force: true }) // an incomplete one
      await rename(outdir, folder)
    })
    for (const name of await readdir(all))
      if (name !== basename(folder)) await rm(join(all, name), { recursive: true, force: true })
  } finally {
    await rm(outdir, { recursive: true, force: true })
  }
}

/** Settles when the bundler has ended, also when it is stopped: then it writes no more. */
async function bundle(given: string[], stopped: AbortSignal) {
  stopped.throwIfAborted()
  const running = promisify(execFile)(esbuild(), [...given, ...OPTIONS], { cwd: root })
  const stop = () => running.child.kill()
  stopped.addEventListener('abort', stop)
  try {
    await running
  } finally {
    stopped.removeEventListener('abort', stop)
  }
}

/** One style sheet: the console's, then those of modules' custom screens. */
const stylesOfAll = () =>
  ['src/console/client/styles/console.css', ...globSync('src/{workspace,platform}/*/screen/*.css', { cwd: root }).sort()]
    .map((path, n) => `@import ${JSON.stringify(join(root, path))}${n ? ' layer(screens)' : ''};\n`)
    .join('')

const staticOf = (imports: Output['imports']) =>
  imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path))

interface Output {
  entryPoint?: string
  imports: { kind: string; path: string }[]
}

const ENTRY = 'src/console/client/main.tsx'
const SIGN_IN = 'src/console/client/sign-in/sign-in.tsx'
const KIT = 'src/console/client/kit.ts'
const DRAWN = /^src\/(workspace|platform)\/([^/]+)\/screen\/([^/]+)\.tsx$/
const GERMAN = 'src/console/client/texts/german.ts'
const OPTIONS = [
  '--bundle',
  '--minify',
  '--format=esm',
  '--entry-names=[name]-[hash]',
  '--chunk-names=[name]-[hash]',
  '--target=chrome123,firefox121,safari17.5',
  '--jsx=automatic',
  '--jsx-import-source=preact',
  '--legal-comments=none',
  '--log-level=error',
]

/** Returns the path of the bundler for this platform: a separate program, which ends with its work. */
const esbuild = () => createRequire(import.meta.url).resolve(`@esbuild/${process.platform}-${process.arch}/bin/esbuild`)
