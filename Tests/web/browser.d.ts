// What browsers have and the libraries of TypeScript 4.8, which is Debian's, do not.

interface TrustedTypePolicy {
  createHTML(text: string): string;
  createScriptURL(url: string): string;
}

declare var trustedTypes: {
  createPolicy(name: string, rules: {
    createHTML(text: string): string;
    createScriptURL(url: string): string;
  }): TrustedTypePolicy;
} | undefined;

interface WakeLockSentinel {
  release(): Promise<void>;
}

interface Navigator {
  setAppBadge?(count: number): Promise<void>;
  readonly wakeLock?: { request(kind: "screen"): Promise<WakeLockSentinel> };
}

// The thread of the sound.
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
