/** True for a browser with WebRTC. Without it the page registers, but has no calls. */
export const canCall = typeof RTCPeerConnection === "function";
