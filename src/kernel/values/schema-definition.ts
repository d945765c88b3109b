/** What a schema is made of, as zod keeps it: for code that walks schemas whatever they are wrapped in. Zod's own types don't say it of any schema. */
import type { z } from 'zod'

export interface Definition {
  type: string
  /** Fields of an object. */
  shape?: Record<string, z.core.$ZodType>
  /** Of what is optional, nullable or has a default. */
  innerType?: z.core.$ZodType
  /** The words of an enumeration. */
  entries?: Record<string, string>
  element?: z.core.$ZodType
  keyType?: z.core.$ZodType
  valueType?: z.core.$ZodType
  options?: z.core.$ZodType[]
  /** The two sides of an intersection. */
  left?: z.core.$ZodType
  right?: z.core.$ZodType
  /** The two ends of a pipe. */
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

export const definitionOf = (schema: z.core.$ZodType) => (schema as unknown as { def: Definition }).def

/** Of a pipe what comes in counts, unless that is a mere preparation. */
export const partOfPipe = ({ in: before, out }: Definition) => (definitionOf(before!).type === 'transform' ? out! : before!)

/** What a schema takes where something is sent. */
export function withoutDefault(schema: z.core.$ZodType): z.core.$ZodType {
  const { type, innerType } = definitionOf(schema)
  return type === 'default' || type === 'prefault' ? innerType! : schema
}
