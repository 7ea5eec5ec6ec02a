import { describe, expect, it } from 'vitest';
import { createRedactor } from './redact.ts';
import { secretsInEntries } from './secret-entries.ts';
import { isSecretName, isSecretParameter } from './secret-names.ts';

const secret = [
  ...['password', 'DB_PASSWD', 'SMTPPASS', 'dbPwd', 'apikey', 'sessionKey', 'AWS_SECRET_ACCESS_KEY', 'privateKey'],
  ...['authorization', 'X-Auth', 'OAUTH_TOKEN', 'AUTHORIZATION', 'ssn', 'USER_SSN', 'userPin', 'CARD_CVV', 'JWT'],
  ...['DB_DSN', 'SESSION', 'SET_COOKIE', 'PASSWORD_SALT', 'GH_PAT', 'AWS_CREDS', 'X-Amz-Signature', 'OTP'],
];
const plain = [
  ...['author', 'AUTHOR', 'AUTHORS', 'compass', 'COMPASS', 'KEYWORD', 'keywords', 'keyboard', 'monkeys', 'className'],
  ...['path', 'spinner', 'passenger', 'bypass', 'serverKey', 'owner_key', 'pattern', 'HOME', 'LANG', 'PINE', 'code'],
];

describe('S15: one answer to whether a name is that of a secret', () => {
  it.each(secret)('%s is one, in arguments and in a configuration alike', name => {
    expect(isSecretName(name)).toBe(true);
    expect(createRedactor().json({ [name]: 'abcdefgh' })).toEqual({ [name]: '[masked]' });
    expect(secretsInEntries({ [name]: 'abcdefgh' }).map(({ value }) => value)).toEqual(['abcdefgh']);
  });

  it.each(plain)('%s is none, in arguments and in a configuration alike', name => {
    expect(isSecretName(name)).toBe(false);
    expect(createRedactor().json({ [name]: 'abcdefgh' })).toEqual({ [name]: 'abcdefgh' });
    expect(secretsInEntries({ [name]: 'abcdefgh' })).toEqual([]);
  });

  it('a very long name is looked at from both ends, in no more time than a short one', () => {
    expect(isSecretName(`token${'x'.repeat(1_000_000)}`)).toBe(true);
    expect(isSecretName(`${'x'.repeat(1_000_000)}token`)).toBe(true);
    expect(isSecretName('x'.repeat(1_000_000))).toBe(false);
  });

  it.each(['code', 'sig', 'access', 'X-Amz-Signature', 'access_token'])('%s in a URL is one', name => {
    expect(isSecretParameter(name)).toBe(true);
    const address = `https://h.example/cb?page=2&${name}=4f9aKq81&x=1`;
    expect(createRedactor().text(`got ${address}`)).toBe(`got https://h.example/cb?page=2&${name}=[masked]&x=1`);
    expect(secretsInEntries({ CALLBACK: address }).map(({ value }) => value)).toContain('4f9aKq81');
  });

  it('the password in a URL of a variable is one by itself, also decoded', () => {
    const values = secretsInEntries({ DATABASE_URL: 'postgres://me:hunt%2Fer22@db/x' }).map(({ value }) => value);
    expect(values).toEqual(expect.arrayContaining(['hunt%2Fer22', 'hunt/er22']));
  });
});
