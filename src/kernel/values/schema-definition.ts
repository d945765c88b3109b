/**
 * Internal definition of a zod schema, for code that walks schemas through their wrappers. Zod's types don't expose it for an
 * arbitrary schema.
 */
import type { z } from 'zod'

export interface Definition {
  type: string
  /** Fields of an object. */
  shape?: Record<string, z.core.$ZodType>
  /** Schema wrapped by optional, nullable or a default. */
  innerType?: z.core.$ZodType
  /** Values of an enumeration. */
  entries?: Record<string, string>
  element?: z.core.$ZodType
  keyType?: z.core.$ZodType
  valueType?: z.core.$ZodType
  options?: z.core.$ZodType[]
  /** Both sides of an intersection. */
  left?: z.core.$ZodType
  right?: z.core.$ZodType
  /** Both ends of a pipe. */
  in?: z.core.$ZodType
  out?: z.core.$ZodType
  getter?: () => z.core.$ZodType
  checks?: {
    _zod: {
      def: {
        check: string
        maximum?: number
        length?: number
        pattern?: RegExp
        error?: (issue: object) => string | { message: string }
      }
    }
  }[]
}

/** Returns the definition of a schema. */
export const definitionOf = (schema: z.core.$ZodType) => (schema as unknown as { def: Definition }).def

/** Returns the relevant schema of a pipe: the input side, unless that is only a preprocessing step. */
export const partOfPipe = ({ in: before, out }: Definition) => (definitionOf(before!).type === 'transform' ? out! : before!)

/** Returns the schema without its default. */
export function withoutDefault(schema: z.core.$ZodType): z.core.$ZodType {
  const { type, innerType } = definitionOf(schema)
  return type === 'default' || type === 'prefault' ? innerType! : schema
}
