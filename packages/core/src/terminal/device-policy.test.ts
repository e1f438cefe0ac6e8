import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problem } from '../../test/support.ts';
import { checkDevice, type Device, type DevicePolicy, defaultDevicePolicy } from './terminal.ts';

const ios = (over: Partial<Device> = {}): Device => ({
  platform: 'ios',
  deviceIdentifier: 'device-1',
  deviceModel: 'iPhone14,5',
  osVersion: '17.0.1',
  ...over,
});
const android = (over: Partial<Device> = {}): Device => ({
  platform: 'android',
  deviceIdentifier: 'device-1',
  deviceModel: 'Pixel 8',
  osVersion: '14',
  terminalSdkVersion: '5.1.0',
  ...over,
});
const check = (device: Device, policy = defaultDevicePolicy) => checkDevice(device, policy);

function reasons(device: Device, policy?: DevicePolicy): unknown {
  const { reasons } = problem(check(device, policy)).attributes ?? {};
  return reasons;
}

describe('the default device policy', () => {
  it.each([
    ios(),
    ios({ osVersion: '16.7', deviceModel: 'iPhone11,2' }),
    ios({ osVersion: '16.7.0', deviceModel: 'iPhone11,8' }),
    ios({ osVersion: '26', terminalSdkVersion: '1.0' }),
    android(),
    android({ osVersion: '13', terminalSdkVersion: '5.0.0', deviceModel: '' }),
    ios({ osVersion: 'iOS 17.1' }),
    android({ osVersion: 'Android 14' }),
    ...['iPhone', 'iPhone 14 Pro', 'an iPhone', 'arm64', 'x86_64', ''].map((deviceModel) =>
      ios({ deviceModel }),
    ),
    ios({ terminalSdkVersion: 'latest' }),
    { platform: 'ios', deviceIdentifier: 'nothing more is said' },
    { platform: 'android', deviceIdentifier: 'nothing more is said' },
  ] satisfies Device[])('accepts %o', (device) => {
    expect(check(device).isOk()).toBe(true);
  });

  it.each([
    [ios({ osVersion: '16.6.9' }), 'osVersion', '16.7', '16.6.9'],
    [ios({ osVersion: '16' }), 'osVersion', '16.7', '16'],
    [ios({ deviceModel: 'iPhone11,1' }), 'deviceModel', 'iPhone11,2', 'iPhone11,1'],
    [ios({ deviceModel: 'iPhone10,6' }), 'deviceModel', 'iPhone11,2', 'iPhone10,6'],
    [ios({ deviceModel: 'iPad14,3' }), 'deviceModel', 'iPhone11,2', 'iPad14,3'],
    [ios({ deviceModel: 'iPad' }), 'deviceModel', 'iPhone11,2', 'iPad'],
    [ios({ deviceModel: 'iPad Pro' }), 'deviceModel', 'iPhone11,2', 'iPad Pro'],
    [ios({ deviceModel: 'iPod touch' }), 'deviceModel', 'iPhone11,2', 'iPod touch'],
    [ios({ osVersion: 'iOS 15.1' }), 'osVersion', '16.7', 'iOS 15.1'],
    [android({ osVersion: '12.9' }), 'osVersion', '13', '12.9'],
    [android({ terminalSdkVersion: '4.99' }), 'terminalSdkVersion', '5.0.0', '4.99'],
  ] as const)('rejects %o', (device, rule, minimum, actual) => {
    expect(problem(check(device)).type).toBe('contactlessPaymentDeviceUnsupported');
    expect(reasons(device)).toEqual([{ rule, minimum, actual }]);
  });

  it('names every failed rule, in the detail too (D5)', () => {
    const old = android({ osVersion: '9', terminalSdkVersion: '2.1' });
    expect(reasons(old)).toEqual([
      { rule: 'osVersion', minimum: '13', actual: '9' },
      { rule: 'terminalSdkVersion', minimum: '5.0.0', actual: '2.1' },
    ]);
    expect(problem(check(old)).detail).toBe(
      'The device cannot be a terminal: osVersion must be at least 13, terminalSdkVersion must be at least 5.0.0.',
    );
  });

  it.each([
    ['osVersion', ios({ deviceModel: 'iPad1,1', osVersion: 'latest' })],
    ['terminalSdkVersion', android({ terminalSdkVersion: 'latest' })],
  ] as const)('rejects a %s that a rule needs and cannot read', (field, device) => {
    expect(problem(check(device))).toMatchObject({
      type: 'unprocessableEntity',
      attributes: { pointer: `/${field}` },
    });
  });

  it.each(['21', '30', '36', 'Android 30', '1000000'])(
    'rejects the API level %s of Android, and says which value to send',
    (osVersion) => {
      const found = problem(check(android({ osVersion })));
      expect(found).toMatchObject({
        type: 'unprocessableEntity',
        attributes: { pointer: '/osVersion' },
      });
      expect(found.detail).toContain('Platform.constants.Release');
      expect(check(ios({ osVersion })).isOk()).toBe(true);
    },
  );

  it('accepts every version of Android up to the greatest', () => {
    for (const osVersion of ['13', '16.0.1', '17', '20.9']) {
      expect(check(android({ osVersion })).isOk()).toBe(true);
    }
  });

  it('accepts any iPhone that is not older than the oldest', () => {
    fc.assert(
      fc.property(fc.nat(30), fc.nat(12), (major, minor) => {
        const isAllowed = major > 11 || (major === 11 && minor >= 2);
        const device = ios({ deviceModel: `iPhone${major},${minor}` });
        expect(check(device).isOk()).toBe(isAllowed);
      }),
    );
  });
});

describe("a host's device policy", () => {
  const policy = (rules: DevicePolicy['platforms']['ios']): DevicePolicy => ({
    asOf: '2026-11-21',
    platforms: { ios: rules, android: {} },
  });

  it('skips omitted rules', () => {
    expect(check(ios({ osVersion: '1', deviceModel: 'Toaster' }), policy({})).isOk()).toBe(true);
    expect(check(android({ osVersion: '1' }), policy({})).isOk()).toBe(true);
    expect(check(android({ osVersion: '30' }), policy({})).isOk()).toBe(true);
  });

  it('compares no other text with a model', () => {
    for (const deviceModel of ['iPhone1,1 (simulated)', 'an iPhone1,1', 'not an iPad']) {
      expect(check(ios({ deviceModel })).isOk()).toBe(true);
    }
  });

  it('may allow another family', () => {
    const iPads = policy({ minimumModel: 'iPad8,1' });
    expect(check(ios({ deviceModel: 'iPad8,1' }), iPads).isOk()).toBe(true);
    expect(check(ios({ deviceModel: 'iPad' }), iPads).isOk()).toBe(true);
    expect(reasons(ios(), iPads)).toMatchObject([{ rule: 'deviceModel', minimum: 'iPad8,1' }]);
  });

  it('rejects every device if the model rule is invalid', () => {
    const any = policy({ minimumModel: 'any' });
    const reason = { rule: 'deviceModel', minimum: 'any', actual: 'iPhone14,5' };
    expect(reasons(ios(), any)).toEqual([reason]);
  });

  it('rejects every device if the version rule is invalid', () => {
    expect(check(ios(), policy({ minimumOsVersion: 'sixteen' })).isErr()).toBe(true);
  });
});
