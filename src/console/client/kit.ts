/**
 * What is fetched first, and what screens are made of besides. The bundler injects this file before every other (`--inject`), so that each script that is
 * fetched later imports all of it: what all import is one script. Without it there is one for each choice of parts that some screen makes, and a phone
 * waits once for every six of them.
 */
import './frame/frame.tsx'
