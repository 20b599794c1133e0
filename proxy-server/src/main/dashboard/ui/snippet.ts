export type Language = 'curl' | 'Python' | 'Node';

/** A first request; without a secret the environment's KEY stands in its place. */
export function snippet(language: Language, base: string, secret: string, model: string): string {
  const url = base.replace(/\/+$/, '');
  const root = url.endsWith('/v1') ? url : `${url}/v1`;
  switch (language) {
    case 'curl':
      return `curl ${root}/chat/completions \\
  -H "Authorization: Bearer ${secret || '$KEY'}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'`;
    case 'Python':
      return `import os
from openai import OpenAI

client = OpenAI(base_url="${root}", api_key=${secret ? `"${secret}"` : 'os.environ["KEY"]'})
answer = client.chat.completions.create(
    model="${model}", messages=[{"role": "user", "content": "Hello"}])
print(answer.choices[0].message.content)`;
    case 'Node':
      return `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${root}", apiKey: ${secret ? `"${secret}"` : 'process.env.KEY'} });
const answer = await client.chat.completions.create({
  model: "${model}", messages: [{ role: "user", content: "Hello" }] });
console.log(answer.choices[0].message.content);`;
  }
}
